/** A legacy server's stream on its way to the client, over a fake interceptor. */
import { expect, it, vi } from "vitest";
import type { Interceptor, Intercepted } from "../../../src/proxy/legacy/interceptor.ts";
import { responseOf } from "../../../src/domain/ports/client-answer.ts";
import { relayEvents, type Relaying } from "../../../src/proxy/legacy/relay.ts";

const encoder = new TextEncoder();
const events = "text/event-stream";

function given(
  parts: readonly (string | Error)[],
  { verdict = { kind: "pass" } }: { verdict?: Intercepted } = {},
) {
  const cancelled = vi.fn<() => void>();
  const ended = vi.fn<() => void>();
  const refused = vi.fn<(head: string, limitBytes: number) => void>();
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const part = parts[at];
        at += 1;
        if (part === undefined) controller.close();
        else if (part instanceof Error) controller.error(part);
        else controller.enqueue(encoder.encode(part));
      },
      cancel: cancelled,
    },
    { highWaterMark: 0 },
  );
  const interceptor: Interceptor = {
    intercept: async () => verdict,
    refuseOversized: refused,
    mayNeedRouter: (text) => text.includes("createMessage"),
    isRunning: () => false,
  };
  const relaying: Relaying = {
    interceptor,
    losses: null,
    ended,
    owner: null,
    broken: () => ({ jsonrpc: "2.0", id: 1, error: { code: -32_000, message: "broke" } }),
  };
  const response = new Response(body, { headers: { "content-type": events, "x-secret": "s" } });
  return { relayed: responseOf(relayEvents(response, relaying)), ended, cancelled, read: () => at };
}

const asks = 'data: {"id":7,"method":"sampling/createMessage"}\n\n';
const done = 'data: {"id":1,"result":{}}\n\n';

it("passes events as they came, under listed headers", async () => {
  const { relayed, ended } = given([": hello\n\n", done]);
  expect(relayed.headers.get("x-secret")).toBeNull();
  expect(relayed.headers.get("x-accel-buffering")).toBe("no");
  expect(await relayed.text()).toBe(`: hello\n\n${done}`);
  expect(ended).toHaveBeenCalledOnce();
});

it("leaves out what is intercepted", async () => {
  const { relayed } = given([asks, done], { verdict: { kind: "intercepted" } });
  expect(await relayed.text()).toBe(done);
});

it("passes what is left of a batch", async () => {
  const { relayed } = given([asks], { verdict: { kind: "changed", text: "[1]" } });
  expect(await relayed.text()).toBe("data: [1]\n\n");
});

it("ends the request of a stream that broke off and can't be resumed", async () => {
  const { relayed } = given([": hello\n\n", new Error("broke")]);
  expect(await relayed.text()).toContain('"code":-32000');
});

it("ends without a word a stream that broke off and can be resumed", async () => {
  const { relayed } = given([`id: 1\n${done}`, new Error("broke")]);
  expect(await relayed.text()).toBe(`id: 1\n${done}`);
});

it("lets go of the server when the client leaves", async () => {
  const { relayed, ended, cancelled, read } = given([
    ": 1\n\n",
    ...Array(50).fill(`: ${"x".repeat(65_536)}\n\n`),
  ]);
  const reader = relayed.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect(ended).toHaveBeenCalledOnce();
  expect(cancelled).toHaveBeenCalledOnce();
  expect(read()).toBeLessThan(10);
});
