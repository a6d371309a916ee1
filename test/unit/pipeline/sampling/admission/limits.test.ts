/** Which limits are shown beside those that calls are counted against. */
import { describe, expect, it } from "vitest";
import type { Policy } from "../../../../../src/domain/choice/policy.ts";
import type { Room } from "../../../../../src/domain/limits/room.ts";
import { err, ok, type Result } from "../../../../../src/domain/result.ts";
import type { Refusal } from "../../../../../src/domain/refusals.ts";
import { createLimitAdmin } from "../../../../../src/pipeline/admin/keys/limits.ts";
import { callerWith } from "../../callers/callers.fixture.ts";

const key = callerWith({ keyLimits: { concurrent: 1 } }).snapshot.key;

function shownWith(
  room: Result<Room, Refusal> | null,
  policy: Policy = {},
  nodes: readonly string[] = [],
) {
  const { tenant } = callerWith({ policy }).snapshot;
  const limits = createLimitAdmin({
    tenants: { bySlug: async () => ok(tenant) } as never,
    ids: { next: () => "" },
    now: () => 1_800_000_000_000,
    keys: { list: async () => ok({ data: [key], nextCursor: null }) },
    keyCodes: { isKnown: async () => true },
    servers: { list: async () => ok({ data: [], nextCursor: null }) },
    limits: {
      nodes: async (_, { after = "", limit }) =>
        ok(nodes.filter((node) => node > after).slice(0, limit)),
      sum: async (_, limitChecks) =>
        ok(
          limitChecks.map(({ subject }) => ({
            counted: subject.endsWith(":over") ? 0 : 1,
            reserved: 0,
            oldest: null,
          })),
        ),
    },
    names: { of: async (_, ids) => ok(Object.fromEntries(ids.map((id) => [id, `${id}'s`]))) },
    roomNow: room === null ? null : async () => room,
  });
  return (cursor: string | null = null) =>
    limits({ kind: "operator" } as never, tenant.slug, { cursor, limit: 10 });
}

const room = { usedBytes: 7_000_000_000, limitBytes: 10_000_000_000 };

describe("the limits of a tenant whose database is bounded", () => {
  it("have its room after the tenant's own and before those of keys", async () => {
    const shown = await shownWith(ok(room), { limits: { concurrent: 9 } })();
    expect(shown.ok && shown.value.data.map(({ name }) => name)).toEqual([
      "tenant.concurrent",
      "tenant.storageBytes",
      "key.concurrent",
    ]);
    expect(shown.ok && shown.value.data[1]).toEqual({
      name: "tenant.storageBytes",
      subject: "ten_1",
      unit: "bytes",
      limit: 10_000_000_000,
      used: 7_000_000_000,
      reserved: 0,
      left: 3_000_000_000,
      resetsAt: null,
    });
  });

  it("have nothing left where more is used than the bound", async () => {
    const shown = await shownWith(ok({ ...room, limitBytes: 1 }))();
    expect(shown.ok && shown.value.data[0]).toMatchObject({ left: 0, limit: 1 });
  });

  it("have the room on the first page alone", async () => {
    const shown = await shownWith(ok(room))("key_0");
    expect(shown.ok && shown.value.data.map(({ name }) => name)).toEqual(["key.concurrent"]);
  });

  it("are refused where the database does not say how full it is", async () => {
    const refusal = { reason: "unavailable", retryAfterMs: 1_000 } as const;
    expect(await shownWith(err(refusal))()).toEqual(err(refusal));
  });
});

it("shows no room of a database that nobody bounds", async () => {
  const shown = await shownWith(null)();
  expect(shown.ok && shown.value.data.map(({ name }) => name)).toEqual(["key.concurrent"]);
});

describe("the limits of whatever calls named", () => {
  const policy: Policy = {
    perUser: { usdPerMonth: 9 },
    groups: { each: { usdPerWeek: 5 } },
    tags: { each: { usdPerDay: 1 }, limits: { night: { usdPerDay: 2 } } },
    runs: { callsPerRun: 7 },
  };
  const nodes = [
    "group:eng",
    "run:key_1:one",
    "run:key_1:over",
    "tag:day",
    "tag:night",
    "user:ann",
    "user:bob",
  ];

  it("come after those of keys, each once, without runs that are over", async () => {
    const shown = await shownWith(null, policy, nodes)();
    const data = shown.ok ? shown.value.data : [];
    expect(data.map(({ name, subject, limit }) => [name, subject, limit])).toEqual([
      ["tag.usdPerDay", "tag:night", 2],
      ["key.concurrent", "key_1", 1],
      ["group.usdPerWeek", "group:eng", 5],
      ["run.callsPerRun", "run:key_1:one", 7],
      ["tag.usdPerDay", "tag:day", 1],
      ["user.usdPerMonth", "user:ann", 9],
      ["user.usdPerMonth", "user:bob", 9],
    ]);
    // `start` is Friday, 2027-01-15T08:00:00Z.
    expect(data.map(({ resetsAt }) => resetsAt)).toEqual([
      Date.UTC(2_027, 0, 16),
      null,
      Date.UTC(2_027, 0, 18),
      null,
      Date.UTC(2_027, 0, 16),
      Date.UTC(2_027, 1, 1),
      Date.UTC(2_027, 1, 1),
    ]);
  });

  it("say until when they are raised", async () => {
    const raises = [
      {
        subject: "user:ann",
        limits: { usdPerMonth: 20 },
        until: 1_800_000_060_000,
        reason: "a demo",
        by: "op",
      },
    ];
    const shown = await shownWith(null, { ...policy, raises }, nodes)();
    const data = shown.ok ? shown.value.data : [];
    expect(data.filter((limit) => limit.raisedUntil !== undefined)).toMatchObject([
      { name: "user.usdPerMonth", subject: "user:ann", limit: 20, raisedUntil: 1_800_000_060_000 },
    ]);
  });

  it("go on where the page before ended", async () => {
    const many = Array.from({ length: 12 }, (_, at) => `user:${String.fromCodePoint(97 + at)}`);
    const pageAt = shownWith(null, policy, many);
    const first = await pageAt("key_0");
    expect(first.ok && first.value.nextCursor).toBe("user:j");
    const second = await pageAt("user:j");
    expect(second.ok && second.value.data.map(({ subject }) => subject)).toEqual([
      "user:k",
      "user:l",
    ]);
    expect(second.ok && second.value.nextCursor).toBeNull();
  });

  it("are shown as they are raised", async () => {
    const raise = { limits: { usdPerMonth: 20 }, until: 1_800_000_000_001, reason: "a launch" };
    const raised = { ...policy, raises: [{ ...raise, subject: "user:ann" }] };
    const shown = await shownWith(null, raised, ["user:ann", "user:bob"])();
    expect(shown.ok && shown.value.data.slice(-2).map(({ limit }) => limit)).toEqual([20, 9]);
  });
});
