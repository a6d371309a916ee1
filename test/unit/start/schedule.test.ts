/** A failed run of the scheduled jobs is logged as one safe line. */
import { expect, it, vi } from "vitest";
import { startSchedule } from "../../../src/start/schedule.ts";

it("logs why jobs failed as one line that steers no terminal", async () => {
  const log = vi.fn();
  const stop = startSchedule(() => Promise.reject(new Error("\u001b[2Jat a\nb")), {
    seconds: 60,
    log,
  });
  await vi.waitFor(() => expect(log).toHaveBeenCalled());
  stop();
  expect(log.mock.calls).toEqual([[String.raw`The scheduled jobs failed: \u{1b}[2Jat a\u{a}b`]]);
});
