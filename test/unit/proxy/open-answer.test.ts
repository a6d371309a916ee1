/** Whichever way an exchange ends, its place in the count is free again, and its server is let go. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { responseOf } from "../../../src/domain/ports/client-answer.ts";
import { openAnswer, type Early, type OpenAnswer } from "../../../src/proxy/open-answer.ts";
import { createOpenExchanges } from "../../../src/domain/limits/open-exchanges.ts";

const kinds = { requests: 9, streams: 9, messages: 9 };
const events = { "Content-Type": "text/event-stream" };
const begins = (as: "events" | "json"): Early => ({
  kind: "begins",
  as,
  rest: async (response) => response.body,
});

function opened(about: Partial<OpenAnswer> & Pick<OpenAnswer, "work">) {
  const exchanges = createOpenExchanges({
    limits: { key: kinds, tenant: kinds },
    elapsed: () => Date.now(),
  });
  const held = exchanges.begin("requests", { keyId: "k", tenantId: "t" });
  if (!held.ok) throw new Error("refused");
  const state = { leftServer: false };
  const { work } = about;
  const response = openAnswer({
    waitedMs: 0,
    left: new AbortController().signal,
    early: begins("json"),
    held: held.value,
    keyEnded: async () => false,
    failed: async () => new Response("failed"),
    background: () => undefined,
    ...about,
    work(left, owner) {
      left.addEventListener("abort", () => (state.leftServer = true));
      return work(left, owner);
    },
  }).then(responseOf);
  return { response, state, open: () => exchanges.count() };
}

const never = (): Promise<Response> => new Promise(() => undefined);

/** A body that gives these pieces and then stands still. */
function standing(...pieces: string[]) {
  const state = { cancelled: false };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
    },
    cancel: () => void (state.cancelled = true),
  });
  return { body, state };
}

const readAll = async (response: Response): Promise<string> => {
  const reader = response.body?.getReader();
  let text = "";
  for (;;) {
    const next = await reader?.read().catch(() => undefined);
    if (next === undefined || next.done) return text;
    text += new TextDecoder().decode(next.value);
  }
};

describe("an exchange", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("ends with an answer that is there as a whole", async () => {
    const whole = new Response("{}");
    const { response, open } = opened({ work: async () => whole });
    expect(await response).toBe(whole);
    expect(open()).toBe(0);
  });

  it("ends with a thrown error, which is thrown on", async () => {
    const { response, open } = opened({
      work: async () => {
        throw new Error("a bug");
      },
    });
    await expect(response).rejects.toThrow("a bug");
    expect(open()).toBe(0);
  });

  it("ends with the end of a stream", async () => {
    const { response, open } = opened({
      work: async () => new Response("data: 1\n\n", { headers: events }),
    });
    const answer = await response;
    expect(open()).toBe(1);
    expect(await answer.text()).toBe("data: 1\n\n");
    expect(open()).toBe(0);
  });

  it("ends when the client leaves a stream, which is written to while it stands still", async () => {
    const { body, state: source } = standing("data: 1\n\n");
    const { response, state, open } = opened({
      work: async () => new Response(body, { headers: events }),
    });
    const reader = (await response).body?.getReader();
    await reader?.read();
    const second = reader?.read();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(new TextDecoder().decode((await second)?.value)).toBe(": keep-alive\n");
    await reader?.cancel();
    expect([source.cancelled, state.leftServer, open()]).toEqual([true, true, 0]);
  });

  it("ends when the client leaves before any answer, which begins after 2.5 s", async () => {
    const { response, state, open } = opened({ work: never });
    await vi.advanceTimersByTimeAsync(2_500);
    const answer = await response;
    expect(answer.headers.get("Content-Type")).toBe("application/json");
    expect([state.leftServer, open()]).toEqual([false, 1]);
    await answer.body?.cancel();
    expect([state.leftServer, open()]).toEqual([true, 0]);
  });

  it("begins sooner where the request took its time to get here", async () => {
    const { response } = opened({ work: never, waitedMs: 2_000 });
    await vi.advanceTimersByTimeAsync(500);
    await (await response).body?.cancel();
  });

  it("ends when the runtime says that the client has left", async () => {
    const left = new AbortController();
    const { response, open } = opened({
      left: left.signal,
      work: (signal) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve(new Response("gone"))),
        ),
    });
    left.abort();
    expect(await (await response).text()).toBe("gone");
    expect(open()).toBe(0);
  });

  it("ends with its key", async () => {
    const { body, state: source } = standing("data: 1\n\n");
    const { response, state, open } = opened({
      keyEnded: async () => true,
      work: async () => new Response(body, { headers: events }),
    });
    const text = readAll(await response);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await text).toBe("data: 1\n\n");
    expect([source.cancelled, state.leftServer, open()]).toEqual([true, true, 0]);
  });

  it("is given up where its body stands still in a place that takes no filler", async () => {
    const { body, state: source } = standing('{"a":"b');
    const headers = { "Content-Type": "application/json", "Content-Encoding": "identity" };
    const { response, open } = opened({ work: async () => new Response(body, { headers }) });
    const text = readAll(await response);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await text).toBe('{"a":"b');
    expect([source.cancelled, open()]).toEqual([true, 0]);
  });

  it("of a message that nobody answers is 202 after 2.5 s, and ends", async () => {
    const { response, state, open } = opened({ early: { kind: "accepted" }, work: never });
    await vi.advanceTimersByTimeAsync(2_500);
    expect((await response).status).toBe(202);
    expect([state.leftServer, open()]).toEqual([true, 0]);
  });

  it("waits a minute where the answer's headers must be the server's", async () => {
    const early: Early = { kind: "waits", tooLate: async () => new Response("too late") };
    const { response, state, open } = opened({ early, work: never });
    await vi.advanceTimersByTimeAsync(59_000);
    expect([state.leftServer, open()]).toEqual([false, 1]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await (await response).text()).toBe("too late");
    expect([state.leftServer, open()]).toEqual([true, 0]);
  });

  it("writes the failure into an answer that has begun", async () => {
    const late = Promise.withResolvers<Response>();
    const { response, open } = opened({ early: begins("json"), work: () => late.promise });
    await vi.advanceTimersByTimeAsync(2_500);
    const text = readAll(await response);
    late.reject(new Error("a bug"));
    expect((await text).trim()).toBe("failed");
    expect(open()).toBe(0);
  });

  it("keeps its place for as long as it goes on", async () => {
    const { body } = standing("data: 1\n\n");
    const { response, open } = opened({
      work: async () => new Response(body, { headers: events }),
    });
    const text = readAll(await response);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(open()).toBe(1);
    void text;
  });
});
