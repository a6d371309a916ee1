/** Asking a server which era it speaks must end, whatever the server does with the question. */
import { expect, it } from "vitest";
import { ok } from "../../../src/domain/result.ts";
import { discover } from "../../../src/proxy/bridge/era.ts";
import type { BridgeServices } from "../../../src/proxy/bridge/services.ts";
import type { Exchange } from "../../../src/proxy/exchange.ts";

it("ends in time before a server that begins a stream and says nothing in it", async () => {
  let waitsOver: () => void = () => undefined;
  const services = {
    background: () => undefined,
    wait: (_ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        waitsOver = resolve;
        signal.addEventListener("abort", () => resolve());
      }),
    upstream: async ({ signal }: { signal: AbortSignal }) =>
      ok(
        new Response(
          new ReadableStream({
            start(controller) {
              signal.addEventListener("abort", () => controller.error(new Error("aborted")));
            },
          }),
          { headers: { "Content-Type": "text/event-stream" } },
        ),
      ),
  } as unknown as BridgeServices;
  const exchange = {
    headers: new Headers(),
    left: new AbortController().signal,
  } as unknown as Exchange;
  const asked = discover(services, exchange);
  await new Promise((resolve) => setTimeout(resolve, 20));
  waitsOver();
  expect(await asked).toMatchObject({ era: null });
});
