import { describe, expect, it } from "vitest";
import { caller, start } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

const minuteMs = 60_000;

export const cancellationsSuite = (backend: Backend): void => {
  describe("cancellations", () => {
    const world = givenWorld(backend);

    it("are found by tenant, session and id, and no others are", async () => {
      const { tenantId } = await caller(world.stores);
      const { cancellations } = world.stores;
      const call = { tenantId, sessionId: "ses_1", messageId: "1" };
      expect(value(await cancellations.isRecorded(call, start))).toBe(false);
      value(await cancellations.record(call, start));
      expect(value(await cancellations.isRecorded(call, start))).toBe(true);
      for (const other of [{ sessionId: "ses_2" }, { messageId: '"1"' }, { tenantId: "ten_2" }])
        expect(value(await cancellations.isRecorded({ ...call, ...other }, start))).toBe(false);
    });

    it("count from a moment on, so that an id used again is another call", async () => {
      const { tenantId } = await caller(world.stores);
      const { cancellations } = world.stores;
      const call = { tenantId, sessionId: "ses_1", messageId: "1" };
      value(await cancellations.record(call, start));
      expect(value(await cancellations.isRecorded(call, start + 1))).toBe(false);
      value(await cancellations.record(call, start + 1));
      expect(value(await cancellations.isRecorded(call, start + 1))).toBe(true);
    });

    it("are pruned once no call they could mean is alive", async () => {
      const { tenantId } = await caller(world.stores);
      const { cancellations } = world.stores;
      value(await cancellations.record({ tenantId, sessionId: "a", messageId: "1" }, start));
      value(
        await cancellations.record({ tenantId, sessionId: "b", messageId: "1" }, start + minuteMs),
      );
      expect(value(await cancellations.prune(start + 10 * minuteMs + 1))).toBe(1);
      expect(value(await cancellations.prune(start + 10 * minuteMs + 1))).toBe(0);
    });
  });
};
