/** Who hears that a caller left: a modern call, also if the caller left before its answer began. */
import { expect, it } from "vitest";
import { respond } from "../../../src/mcp/reply.ts";

it.each([
  ["modern", true, true],
  ["modern", false, true],
  ["legacy", true, false],
  ["legacy", false, false],
])("cancels a %s call whose caller has left (event stream: %s)", async (_, acceptsStream, ends) => {
  let heard = false;
  const running = {
    cancelsOnDisconnect: ends,
    async finish(signal: AbortSignal) {
      heard = signal.aborted;
      return { message: {}, timing: "" };
    },
  };
  const signal = AbortSignal.abort();
  await respond({ kind: "running", running, headers: {} }, { acceptsStream, signal });
  expect(heard).toBe(ends);
});
