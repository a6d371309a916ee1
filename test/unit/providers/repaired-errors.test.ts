/** An answer is read from whatever body the host's `fetch` gives. */
import { expect, it } from "vitest";
import { readOutsideSlot } from "../../../src/providers/bounded.ts";
import { repairingFetch } from "../../../src/providers/repaired-errors.ts";

const text = JSON.stringify({ choices: [{ message: { role: "assistant", content: "hello" } }] });

it.each([
  ["a web stream", new Response(text)],
  [
    "a body that is only iterated over",
    {
      ok: true,
      status: 200,
      headers: new Headers(),
      body: (async function* () {
        yield new TextEncoder().encode(text.slice(0, 20));
        yield new TextEncoder().encode(text.slice(20));
      })(),
    } as unknown as Response,
  ],
])("reads %s", async (_, answer) => {
  const send = repairingFetch(readOutsideSlot(async () => answer));
  const read = await send("https://provider.test/");
  expect([read.status, await read.text()]).toEqual([200, text]);
});
