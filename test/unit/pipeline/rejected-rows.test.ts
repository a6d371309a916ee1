/** Rows that grant something and that the router did not write are reported, and not each time they are used. */
import { expect, it } from "vitest";
import type { AdminEvent } from "../../../src/domain/admin-event.ts";
import { err, ok } from "../../../src/domain/result.ts";
import { createRejectedRows, reportingVault } from "../../../src/pipeline/rejected-rows.ts";

const dayMs = 86_400_000;
const row = { tenantId: "ten_1", table: "api_keys", id: "key_1" };

function given() {
  const clock = { now: 20 * dayMs + 5 };
  const asked: { event: AdminEvent; since: number }[] = [];
  const logged: unknown[] = [];
  const state = { isReachable: true };
  const note = (memory = new Set<string>()) =>
    createRejectedRows({
      events: () => ({
        async appendOnce(event, since) {
          if (!state.isReachable) return err({ reason: "unavailable", retryAfterMs: 1 });
          const isNew = !asked.some(
            (each) => each.since === since && each.event.target === event.target,
          );
          asked.push({ event, since });
          return ok(isNew);
        },
      }),
      ids: { next: () => "evt_1" },
      memory,
      log: (entry) => void logged.push(entry),
      now: () => clock.now,
    });
  return { clock, asked, logged, state, note };
}

it("writes once a day for a row, and again on the next day", async () => {
  const { clock, asked, logged, note } = given();
  const report = note();
  await report(row);
  await report(row);
  clock.now += dayMs - 6;
  await report(row);
  expect(asked.map(({ since }) => since)).toEqual([20 * dayMs]);
  expect(asked[0]?.event).toMatchObject({ action: "row.rejected", target: "api_keys key_1" });
  clock.now += 1;
  await report(row);
  await report({ ...row, id: "key_2" });
  expect(asked.map(({ since }) => since)).toEqual([20, 21, 21].map((day) => day * dayMs));
  expect(logged).toHaveLength(3);
});

it("logs nothing where another process has reported the row", async () => {
  const { logged, note } = given();
  await note()(row);
  await note()(row);
  expect(logged).toHaveLength(1);
});

it("reports later what the database could not take", async () => {
  const { asked, state, note } = given();
  const report = note();
  state.isReachable = false;
  await report(row);
  state.isReachable = true;
  await report(row);
  expect(asked).toHaveLength(1);
});

it("reports a seal that does not open for its row", async () => {
  const found: unknown[] = [];
  const vault = {
    sealPrefix: "v1.",
    seal: async () => "",
    open: async (sealed: string) => (sealed === "good" ? ok("plain") : err("unopenable" as const)),
  };
  const context = { tenantId: "ten_1", provider: "", id: "srv_1", destination: "" };
  const reporting = reportingVault(vault, async (each) => void found.push(each));
  expect(reporting.sealPrefix).toBe("v1.");
  expect((await reporting.open("good", { ...context, purpose: "server" })).ok).toBe(true);
  expect((await reporting.open("bad", { ...context, purpose: "round" })).ok).toBe(false);
  expect((await reporting.open("bad", { ...context, purpose: "server" })).ok).toBe(false);
  expect(found).toEqual([{ tenantId: "ten_1", table: "servers", id: "srv_1" }]);
});
