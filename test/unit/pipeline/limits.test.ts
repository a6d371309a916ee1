/** Which limits are shown beside those that calls are counted against. */
import { describe, expect, it } from "vitest";
import type { Policy } from "../../../src/domain/choice/policy.ts";
import type { Room } from "../../../src/domain/limits/room.ts";
import { err, ok, type Result } from "../../../src/domain/result.ts";
import type { Refusal } from "../../../src/domain/refusals.ts";
import { createLimitAdmin } from "../../../src/pipeline/admin/limits.ts";
import { callerWith } from "./callers.fixture.ts";

const key = callerWith({ keyLimits: { concurrent: 1 } }).snapshot.key;

function shownWith(room: Result<Room, Refusal> | null, policy: Policy = {}) {
  const { tenant } = callerWith({ policy }).snapshot;
  const limits = createLimitAdmin({
    tenants: { bySlug: async () => ok(tenant) } as never,
    ids: { next: () => "" },
    now: () => 1_800_000_000_000,
    keys: { list: async () => ok({ data: [key], nextCursor: null }) },
    servers: { list: async () => ok({ data: [], nextCursor: null }) },
    limits: {
      sum: async (_, holds) => ok(holds.map(() => ({ counted: 0, reserved: 0, oldest: null }))),
    },
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
      freesAt: null,
    });
  });

  it("have nothing left where more is used than the bound", async () => {
    const shown = await shownWith(ok({ ...room, limitBytes: 1 }))();
    expect(shown.ok && shown.value.data[0]).toMatchObject({ left: 0, limit: 1 });
  });

  it("have it on the first page alone", async () => {
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
