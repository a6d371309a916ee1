/** The console's event stream resumes, keeps alive, and ends with the access of its reader. */
import { beforeEach, expect, it } from "vitest";
import type { SamplingRecord } from "../../../src/domain/audit/record.ts";
import type { AsyncResult } from "../../../src/domain/refusals.ts";
import { err, ok } from "../../../src/domain/result.ts";
import { eventStreamOf } from "../../../src/http/admin/event-stream.ts";
import type { FeedItem } from "../../../src/domain/ports/request-feed.ts";

let now = 0;
let items: (FeedItem | "gone")[] = [];
let left = 0;
let watched = 0;
let still: () => AsyncResult<unknown> = async () => ok(null);
let stream: AsyncIterator<string>;

beforeEach(() => {
  [now, items, left, watched, still] = [50_000, [], 0, 0, async () => ok(null)];
  stream = eventStreamOf({
    listener: {
      async next(withinMs) {
        const item = items.shift();
        if (item === undefined) now += withinMs;
        return item ?? null;
      },
      leave: () => (left += 1),
    },
    stillMay() {
      watched += 1;
      return still();
    },
    now: () => now,
  })[Symbol.asyncIterator]();
});
const said = async (): Promise<unknown> => (await stream.next()).value;

it("says first that it stands, with a place from which to go on", async () => {
  expect(await said()).toBe("event: ready\nid: 50000\ndata: {}\n\n");
});

it("says each record as the list shows it, with the moment as its id", async () => {
  const record = {
    id: "req_1",
    outcome: "succeeded",
    costMicroUsd: 1_500_000,
    correction: null,
    asked: {},
    decision: null,
  };
  items = [{ kind: "ended", at: 49_000, record: record as unknown as SamplingRecord }];
  await said();
  const text = String(await said());
  expect(text).toMatch(/^event: ended\nid: 49000\ndata: \{.*\}\n\n$/);
  expect(text).toContain('"costUsd":1.5');
});

it("says a comment after 25 silent seconds, and looks every 10 whether it may go on", async () => {
  await said();
  expect(await said()).toBe(": keep-alive\n\n");
  expect([now, watched]).toEqual([80_000, 2]);
});

it("ends with a last word when the key, the session or the role is lost", async () => {
  await said();
  still = async () => err({ reason: "unauthorized", detail: "revoked" });
  expect(await said()).toBe('event: closed\ndata: {"reason":"unauthorized"}\n\n');
  expect([now, left]).toEqual([60_000, 1]);
  expect((await stream.next()).done).toBe(true);
});

it("looks before it says what waited for a slow reader", async () => {
  await said();
  items = [{ kind: "reset", at: 50_000 }];
  now += 60_000;
  still = async () => err({ reason: "forbidden", action: "lost" });
  expect(await said()).toContain("event: closed");
});

it("goes on while nobody can say whether it may", async () => {
  await said();
  still = async () => err({ reason: "unavailable", retryAfterMs: 1 });
  expect(await said()).toBe(": keep-alive\n\n");
  expect(left).toBe(0);
});

it("ends when its listener was given up, and leaves when its reader does", async () => {
  await said();
  items = ["gone"];
  expect((await stream.next()).done).toBe(true);
  await stream.return?.();
  expect(left).toBe(1);
});
