/** The interceptor over fakes: what reaches the pipeline, the server and the client. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Refusal } from "../../../src/domain/refusals.ts";
import { err, ok } from "../../../src/domain/result.ts";
import type { Session } from "../../../src/domain/tenancy/session.ts";
import type { UnreadRequest } from "../../../src/pipeline/sampling/request/sampling-request.ts";
import type { AnsweredBy } from "../../../src/pipeline/sampling/request/idempotency.ts";
import { patienceWithProgressMs } from "../../../src/mcp/progress.ts";
import type { Exchange } from "../../../src/proxy/exchange.ts";
import type { AnsweringDeps } from "../../../src/proxy/legacy/answer-sampling.ts";
import { createInterceptor } from "../../../src/proxy/legacy/interceptor.ts";
import { exchange, server, session } from "./exchange.fixture.ts";

const params = {
  messages: [{ role: "user", content: { type: "text", text: "hi" } }],
  maxTokens: 10,
};
const request = (id: number | string): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "sampling/createMessage", params });
const takenBack = (id: number): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: id },
  });

/** As long as promises go on by themselves. */
const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function given(
  about: {
    exchange?: Partial<Exchange> & { session?: Session | null };
    answeredBy?: AnsweredBy;
    status?: number;
    /** what the stores say of a request that runs nowhere here */
    isTaken?: boolean;
  } = {},
) {
  const sampled: UnreadRequest[] = [];
  const delivered: { text: string; headers: Record<string, string> }[] = [];
  const notes: Record<string, unknown>[] = [];
  const recorded: number[] = [];
  const cancelled: string[] = [];
  const signals: AbortSignal[] = [];
  const work: Promise<unknown>[] = [];
  const answers: PromiseWithResolvers<void>[] = [];
  const refusal: Refusal = { reason: "forbidden", action: "this" };
  const clock = { ms: 0 };
  const stream = { isOpen: true };
  const deps = {
    sample: async (arrival: UnreadRequest) => {
      sampled.push(arrival);
      const answered = Promise.withResolvers<void>();
      answers.push(answered);
      return {
        requestId: `req_${sampled.length}`,
        outcome: ok(async (signal: AbortSignal) => {
          signals.push(signal);
          await answered.promise;
          return { answeredBy: about.answeredBy ?? "this-call", outcome: err(refusal) };
        }),
      };
    },
    deliver: async ({ body, headers }: { body: string; headers: Headers }) => {
      delivered.push({ text: body, headers: Object.fromEntries(headers) });
      return about.status ?? 202;
    },
    cancellation: {
      watch: () => ({ signal: new AbortController().signal, stop: () => undefined }),
      cancel: async ({ messageId }: { messageId: string }) => {
        cancelled.push(messageId);
        return ok(null);
      },
    },
    idempotency: {
      recordDelivery: async (_call: unknown, status: number) => {
        recorded.push(status);
        return ok(null);
      },
      isPrefixTaken: async () => ok(about.isTaken ?? false),
    },
    background: (task: Promise<unknown>) => void work.push(task),
    note: (entry: Record<string, unknown>) => void notes.push(entry),
    report: (_requestId: string, thrown: unknown) => void notes.push({ thrown }),
    now: () => 0,
    elapsed: () => clock.ms,
    sha256Hex: async (content: string | Uint8Array) =>
      typeof content === "string"
        ? `hash of ${content}`
        : createHash("sha256").update(content).digest("hex"),
  } as unknown as AnsweringDeps;
  const interceptor = createInterceptor(deps, exchange(about.exchange), {
    tool: "draw",
    answers: 1,
    isOpen: () => stream.isOpen,
  });
  const settled = async (): Promise<void> => {
    await quiet();
    for (const { resolve } of answers) resolve();
    await Promise.all(work);
  };
  const seen = { sampled, delivered, notes, recorded, cancelled, signals };
  return { interceptor, ...seen, clock, stream, answers, settled };
}

describe("the interceptor", () => {
  it("answers the server by a POST in its session, and shows the client nothing", async () => {
    const { interceptor, sampled, delivered, recorded, settled } = given();
    expect(await interceptor.intercept(request(7), null)).toEqual({ kind: "intercepted" });
    await settled();
    expect(sampled).toMatchObject([{ tool: "draw", messageId: "1", server: { id: "srv_1" } }]);
    const [answer] = delivered;
    expect(JSON.parse(answer?.text ?? "")).toMatchObject({ id: 7, error: { code: -403 } });
    expect(answer?.headers).toMatchObject({
      "content-type": "application/json",
      "mcp-session-id": "upstream-1",
    });
    expect(recorded).toEqual([202]);
  });

  it("answers under every digit of the server's id, and takes back that one alone", async () => {
    const { interceptor, sampled, delivered, signals, settled } = given();
    const [one, other] = ["9007199254740993", "9007199254740992"];
    for (const id of [one, other])
      await interceptor.intercept(request("@").replace('"@"', id ?? ""), null);
    await quiet();
    const taken = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${other}}}`;
    await interceptor.intercept(taken, null);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    await settled();
    expect(sampled).toHaveLength(2);
    expect(delivered.map(({ text }) => text.includes(`"id":${one},`))).toEqual([true]);
  });

  it("passes what is no sampling request, and text that is no JSON", async () => {
    const { interceptor, sampled } = given();
    expect(await interceptor.intercept('{"jsonrpc":"2.0","id":1,"result":{}}', null)).toEqual({
      kind: "pass",
    });
    expect(await interceptor.intercept("createMessage", null)).toEqual({ kind: "pass" });
    expect(sampled).toEqual([]);
  });

  it("takes sampling requests out of a batch, and leaves the rest as it was written", async () => {
    const { interceptor, settled } = given();
    const rest = '{"jsonrpc": "2.0", "method": "notifications/progress"}';
    const found = await interceptor.intercept(`[${request(1)},${rest}]`, null);
    expect(found).toEqual({ kind: "changed", text: `[${rest}]` });
    await settled();
  });

  it("leaves the answer to the call that runs elsewhere", async () => {
    const { interceptor, delivered, settled } = given({ answeredBy: "concurrent-call" });
    await interceptor.intercept(request(7), null);
    await settled();
    expect(delivered).toEqual([]);
  });

  it("refuses by the server's entry as it is by now", async () => {
    const off = exchange({ server: server({ policy: { disabled: true } }) }).caller;
    const { interceptor, sampled, settled } = given({ exchange: { current: async () => ok(off) } });
    await interceptor.intercept(request(7), null);
    await settled();
    expect(sampled[0]?.call).toMatchObject({ ok: false, error: { reason: "forbidden" } });
  });

  it("tells the server why, where its caller may not call any more", async () => {
    const current = async () => err<Refusal>({ reason: "unauthorized", detail: "revoked" });
    const { interceptor, sampled, delivered, settled } = given({ exchange: { current } });
    await interceptor.intercept(request(7), null);
    await settled();
    expect(sampled).toEqual([]);
    expect(JSON.parse(delivered[0]?.text ?? "")).toMatchObject({ id: 7, error: {} });
  });

  it.each([65, 6_000, 100_000])(
    "refuses what is nested %i levels deep, on record",
    async (levels) => {
      const { interceptor, sampled, notes, settled } = given();
      const nested = `${"[".repeat(levels)}1${"]".repeat(levels)}`;
      const text = request(7).replace(
        '"maxTokens":10',
        `"maxTokens":10,"metadata":{"a":${nested}}`,
      );
      expect(await interceptor.intercept(text, null)).toEqual({ kind: "intercepted" });
      await settled();
      const call = { ok: false, error: { reason: "invalid_params", path: "params" } };
      expect(sampled).toMatchObject([{ call }]);
      expect(notes).toEqual([]);
    },
  );

  it("tells the server of a bug, since the server waits for an answer", async () => {
    const bug = new TypeError("a bug");
    const current = async (): Promise<never> => {
      throw bug;
    };
    const { interceptor, delivered, notes, settled } = given({ exchange: { current } });
    await interceptor.intercept(request(7), null);
    await settled();
    expect(delivered.map(({ text }) => JSON.parse(text))).toMatchObject([
      { id: 7, error: { code: -32603, data: { reason: "internal" } } },
    ]);
    expect(notes).toEqual([{ thrown: bug }]);
  });

  it("notes an answer that the server did not take", async () => {
    const { interceptor, notes, settled } = given({ status: 500 });
    await interceptor.intercept(request(7), null);
    await settled();
    expect(notes).toEqual([{ event: "undelivered", requestId: "req_exchange", status: 500 }]);
  });

  it("ends a request that the server cancels, and sends no answer to it", async () => {
    const { interceptor, delivered, cancelled, signals, settled } = given();
    await interceptor.intercept(request(7), null);
    await quiet();
    expect(interceptor.isRunning()).toBe(true);
    expect(await interceptor.intercept(takenBack(7), null)).toEqual({ kind: "intercepted" });
    expect(signals[0]?.aborted).toBe(true);
    expect(cancelled).toEqual(["server:7"]);
    await settled();
    expect(delivered).toEqual([]);
    expect(interceptor.isRunning()).toBe(false);
  });

  it("ends every request of an id that the server cancels, also after one of them has ended", async () => {
    const { interceptor, delivered, signals, answers, settled } = given();
    for (let count = 0; count < 3; count += 1) await interceptor.intercept(request(7), null);
    await quiet();
    answers[0]?.resolve();
    await quiet();
    expect([delivered.length, interceptor.isRunning()]).toEqual([1, true]);
    expect(await interceptor.intercept(takenBack(7), null)).toEqual({ kind: "intercepted" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, true]);
    await settled();
    expect([delivered.length, interceptor.isRunning()]).toEqual([1, false]);
  });

  it.each([true, false])(
    "shows the client the server's cancellation unless the stores know the request: %s",
    async (isTaken) => {
      const { interceptor } = given({ isTaken });
      const kind = isTaken ? "intercepted" : "pass";
      expect(await interceptor.intercept(takenBack(8), null)).toEqual({ kind });
    },
  );

  it("holds the stream back while 32 of its requests run", async () => {
    const { interceptor, sampled, answers, settled } = given();
    for (let id = 0; id < 32; id += 1) await interceptor.intercept(request(id), null);
    let isTaken = false;
    const next = interceptor.intercept(request(32), null).then(() => (isTaken = true));
    await quiet();
    expect([isTaken, sampled.length]).toEqual([false, 32]);
    answers[0]?.resolve();
    await next;
    await quiet();
    expect(sampled.length).toBe(33);
    await settled();
  });

  it("declines what only a client could do, behind a bridge", async () => {
    const bridged = session({ bridge: { to: "legacy", key: "k", initialized: {} } });
    const { interceptor, delivered, settled } = given({ exchange: { session: bridged } });
    const roots = JSON.stringify({ jsonrpc: "2.0", id: "r", method: "roots/list" });
    expect(interceptor.mayNeedRouter(roots)).toBe(true);
    expect(await interceptor.intercept(roots, null)).toEqual({ kind: "intercepted" });
    await settled();
    expect(JSON.parse(delivered[0]?.text ?? "")).toMatchObject({ id: "r", error: {} });
  });

  it("tells a server that asked for progress that its request waits for a person", async () => {
    const { interceptor, sampled, delivered, clock, stream, settled } = given();
    const asking = (id: number, _meta: object): string =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "sampling/createMessage",
        params: { ...params, _meta },
      });
    await interceptor.intercept(asking(1, {}), null);
    await interceptor.intercept(asking(2, { progressToken: "p" }), null);
    await quiet();
    const [without, waiting] = sampled.map((each) => each.waiting?.());
    expect(without).toBeUndefined();
    // For as long as the client's request lasts…
    expect(waiting?.patienceMs).toBe(Infinity);
    // …and not at once ended by a connection that breaks.
    stream.isOpen = false;
    expect(sampled[1]?.waiting?.().patienceMs).toBe(patienceWithProgressMs);
    // Not at each look, since the waiting call is looked at every second.
    for (const ms of [1_000, 5_000, 6_000, 10_000]) {
      clock.ms = ms;
      waiting?.progress?.();
    }
    const told = delivered.map(({ text }) => JSON.parse(text) as unknown);
    const message = expect.stringContaining("approve") as string;
    expect(told).toEqual(
      [1, 2].map((progress) => ({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "p", progress, message },
      })),
    );
    await settled();
  });

  it("takes the key of a held call out of what a server asks, and joins by it", async () => {
    const member = "sampling-router/idempotencyKey";
    const asking = (id: number, metadata: object): string =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "sampling/createMessage",
        params: { ...params, metadata },
      });
    const { interceptor, sampled, settled } = given();
    await interceptor.intercept(request(1), null);
    await interceptor.intercept(asking(2, { [member]: "req_0" }), null);
    await interceptor.intercept(asking(3, { [member]: 4 }), null);
    await settled();
    const [first, named, wrong] = sampled;
    expect(first?.replayKey).toEqual({ kind: "stream", scope: "ses_1", messageId: "1" });
    expect(named?.replayKey).toMatchObject({ messageId: "2", joins: "hash of req_0" });
    expect(named?.content).toEqual(first?.content);
    expect(wrong?.call).toMatchObject({ ok: false, error: { reason: "invalid_params" } });
  });

  it("joins by the key alone where nothing says whose ids a stream has, and answers each request", async () => {
    const metadata = { "sampling-router/idempotencyKey": "req_0" };
    const text = JSON.stringify({
      jsonrpc: "2.0",
      id: 2,
      method: "sampling/createMessage",
      params: { ...params, metadata },
    });
    const { interceptor, sampled, delivered, settled } = given({
      exchange: { session: null },
      answeredBy: "concurrent-call",
    });
    await interceptor.intercept(text, null);
    await settled();
    expect(sampled[0]?.replayKey).toEqual({ kind: "client", key: "hash of req_0" });
    expect(delivered.map(({ text: sent }) => JSON.parse(sent))).toMatchObject([{ id: 2 }]);
  });

  it("refuses a sampling request that was too large to be held, by the id in its head", async () => {
    const { interceptor, delivered, notes, settled } = given();
    const head = '{"jsonrpc":"2.0","id":"big","method":"sampling/createMessage","params":{"mess';
    interceptor.refuseOversized(head, 1_000);
    await settled();
    expect(notes).toEqual([{ event: "oversized", requestId: "req_exchange", limitBytes: 1_000 }]);
    expect(JSON.parse(delivered[0]?.text ?? "")).toMatchObject({ id: "big", error: {} });
  });
});
