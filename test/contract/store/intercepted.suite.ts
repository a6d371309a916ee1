import { describe, expect, it } from "vitest";
import { storesOn } from "./open.ts";
import { caller, start } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

const dayMs = 86_400_000;

export const interceptedSuite = (backend: Backend): void => {
  describe("intercepted requests", () => {
    const world = givenWorld(backend);
    const lease = { now: start, leaseUntil: start + 1_000 };
    const some = async () => {
      const { tenantId } = await caller(world.stores);
      return { tenantId, scope: "ses_1", messageId: "1", digest: "aa" };
    };

    it("are one caller's of many, and the answer is everybody's", async () => {
      const call = await some();
      const other = storesOn(await world.again());
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          (at % 2 === 0 ? world.stores : other).intercepted.claim(call, lease),
        ),
      );
      const states = claims.map((claim) => value(claim));
      expect(states.filter(({ state }) => state === "mine")).toHaveLength(1);
      expect(states.filter(({ state }) => state === "running")).toHaveLength(7);
      expect(states).toContainEqual({ state: "running", leaseUntil: start + 1_000 });
      value(await world.stores.intercepted.answer(call, "sealed"));
      value(await world.stores.intercepted.deliver(call, 202));
      expect(value(await other.intercepted.claim(call, lease))).toEqual({
        state: "answered",
        sealed: "sealed",
      });
    });

    it("are others with another session, id or params", async () => {
      const call = await some();
      const { intercepted } = world.stores;
      value(await intercepted.claim(call, lease));
      for (const change of [{ scope: "ses_2" }, { messageId: '"1"' }, { digest: "bb" }])
        expect(value(await intercepted.claim({ ...call, ...change }, lease))).toEqual({
          state: "mine",
        });
      expect(value(await intercepted.isTaken(call))).toBe(true);
      expect(value(await intercepted.isTaken({ ...call, messageId: "2" }))).toBe(false);
    });

    it("are pruned after a day", async () => {
      const call = await some();
      const { intercepted } = world.stores;
      value(await intercepted.claim(call, lease));
      expect(value(await intercepted.prune(start + dayMs))).toBe(0);
      expect(value(await intercepted.prune(start + dayMs + 1))).toBe(1);
      expect(value(await intercepted.isTaken(call))).toBe(false);
    });
  });
};
