/** Listeners get every event of their tenant in order, or a reset. */
import { beforeEach, describe, expect, it } from "vitest";
import type { SamplingRecord } from "../../../src/domain/audit/record.ts";
import type {
  FeedChanges,
  FeedListener,
  RequestFeeds,
  RequestFeedStore,
} from "../../../src/domain/ports/request-feed.ts";
import { err, ok } from "../../../src/domain/result.ts";
import { createRequestFeeds } from "../../../src/pipeline/request-feeds.ts";

const record = (id: string, outcome: SamplingRecord["outcome"]): SamplingRecord =>
  ({ id, outcome }) as SamplingRecord;
const nothing: FeedChanges = { records: [], last: 0, isTooMuch: false };

let now = 0;
let waits: { until: number; done: () => void }[] = [];
let asked: string[] = [];
let changes: FeedChanges[] = [];
let missed: SamplingRecord[] | null = [];
let outOfReach = false;
let feeds: RequestFeeds;

const store: RequestFeedStore = {
  async state(tenantId) {
    asked.push(`state ${tenantId}`);
    return ok({ open: [], last: 0 });
  },
  async changes(tenantId, { open }) {
    asked.push(`changes ${tenantId} ${open.join(",")}`);
    return outOfReach
      ? err({ reason: "unavailable", retryAfterMs: 1 })
      : ok(changes.shift() ?? nothing);
  },
  async since(tenantId, at) {
    asked.push(`since ${tenantId} ${at}`);
    return ok(missed);
  },
};
const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal?.aborted === true) return done();
    signal?.addEventListener("abort", () => done());
    waits.push({ until: now + ms, done });
  });
/** Lets what is due happen, and what follows from it. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};
async function pass(ms: number): Promise<void> {
  const end = now + ms;
  await settle();
  for (;;) {
    const next = waits.filter(({ until }) => until <= end).toSorted((a, b) => a.until - b.until)[0];
    if (next === undefined) break;
    waits = waits.filter((each) => each !== next);
    now = Math.max(now, next.until);
    next.done();
    await settle();
  }
  now = end;
}
const listen = async (tenantId = "ten_1", since: number | null = null): Promise<FeedListener> => {
  const listening = await feeds.listen(tenantId, since);
  if (!listening.ok) throw new Error("refused");
  return listening.value;
};

beforeEach(() => {
  [now, waits, asked, changes, missed, outOfReach] = [100_000, [], [], [], [], false];
  feeds = createRequestFeeds({ requestFeed: store, now: () => now, wait });
});

describe("the feed of a tenant's records", () => {
  it("asks once a second for all who listen, and not at all once nobody does", async () => {
    const listeners = await Promise.all([listen(), listen(), listen()]);
    await pass(3_500);
    expect(asked).toEqual(["state ten_1", ...Array.from({ length: 3 }, () => "changes ten_1 ")]);
    listeners[0]?.leave();
    listeners[1]?.leave();
    await pass(1_000);
    expect(asked).toHaveLength(5);
    listeners[2]?.leave();
    await pass(60_000);
    expect(asked).toHaveLength(5);
  });

  it("tells every listener of each begin and end, and asks on for what is open", async () => {
    const listeners = await Promise.all([listen(), listen()]);
    changes = [
      { ...nothing, records: [record("req_1", "admitted")], last: 1 },
      { ...nothing, records: [record("req_1", "succeeded")], last: 1 },
    ];
    await pass(1_500);
    for (const listener of listeners)
      expect(await listener.next(0)).toMatchObject({ kind: "started", record: { id: "req_1" } });
    await pass(2_000);
    for (const listener of listeners)
      expect(await listener.next(0)).toMatchObject({ kind: "ended", record: { id: "req_1" } });
    expect(asked.slice(1, 4)).toEqual(["changes ten_1 ", "changes ten_1 req_1", "changes ten_1 "]);
  });

  it("wakes a listener who waits", async () => {
    const listener = await listen();
    await pass(500);
    const next = listener.next(10_000);
    changes = [{ ...nothing, records: [record("req_1", "admitted")], last: 1 }];
    await pass(1_000);
    expect(await next).toMatchObject({ kind: "started" });
  });

  it("keeps tenants apart", async () => {
    const [one, other] = [await listen("ten_1"), await listen("ten_2")];
    changes = [{ ...nothing, records: [record("req_1", "admitted")], last: 1 }];
    await pass(1_500);
    expect(await one.next(0)).toMatchObject({ kind: "started" });
    const nothingYet = other.next(0);
    await pass(0);
    expect(await nothingYet).toBeNull();
  });

  it("first gives the events that the listener missed, rather a few twice than one never", async () => {
    missed = [record("req_0", "succeeded")];
    const listener = await listen("ten_1", 90_000);
    await pass(100);
    expect(asked).toContain("since ten_1 85000");
    expect(await listener.next(0)).toMatchObject({ kind: "ended", record: { id: "req_0" } });
  });

  it("says reset where too much was missed, or happened at once, or waits for a slow reader", async () => {
    missed = null;
    const late = await listen("ten_1", 1);
    expect(await late.next(0)).toMatchObject({ kind: "reset" });
    const slow = await listen();
    changes = [{ ...nothing, isTooMuch: true }];
    await pass(1_500);
    expect(await late.next(0)).toMatchObject({ kind: "reset" });
    await pass(1_000);
    // The state was read anew.
    expect(asked.filter((each) => each === "state ten_1")).toHaveLength(2);
    expect(await slow.next(0)).toMatchObject({ kind: "reset" });
    const records = Array.from({ length: 400 }, (_, at) => record(`req_${at}`, "succeeded"));
    changes = Array.from({ length: 3 }, () => ({ ...nothing, records, last: 1 }));
    await pass(5_000);
    expect(await slow.next(0)).toMatchObject({ kind: "reset" });
  });

  it("goes on after the database was out of reach", async () => {
    const listener = await listen();
    await pass(500);
    outOfReach = true;
    await pass(3_000);
    outOfReach = false;
    changes = [{ ...nothing, records: [record("req_1", "admitted")], last: 1 }];
    await pass(1_000);
    expect(await listener.next(0)).toMatchObject({ kind: "started" });
  });

  it("has so many listeners at most", async () => {
    for (let at = 0; at < 64; at += 1) await listen();
    expect(await feeds.listen("ten_1", null)).toMatchObject({
      ok: false,
      error: { reason: "rate_limited", limit: "requests.listeners" },
    });
    expect((await feeds.listen("ten_2", null)).ok).toBe(true);
  });

  it("drops a listener that reads nothing, so that the database is not asked in vain", async () => {
    const listener = await listen();
    await pass(62_000);
    const before = asked.length;
    await pass(10_000);
    expect(asked).toHaveLength(before);
    expect(await listener.next(0)).toBe("gone");
    const patient = await listen("ten_2");
    const next = patient.next(200_000);
    await pass(100_000);
    patient.leave();
    expect(await next).toBe("gone");
  });
});
