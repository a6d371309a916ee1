/** Callers that hang up at random moments, in both eras. */
import { createEnding } from "../../src/start/ending.ts";
import { reconciled, recordsOf } from "./sums.ts";
import {
  below,
  call,
  crowd,
  legacySession,
  questionOf,
  sha256Of,
  startWorld,
  wait,
  type DatabaseName,
  type Say,
} from "./world.ts";

const longestMs = 2_500;
/** Far beyond what a busy machine takes: this soak is about callers that leave, and no call may end by its deadline. */
const deadlineMs = 30_000;

export async function soakLeavers(
  about: { database: DatabaseName; calls: number },
  say: Say,
): Promise<string[]> {
  const ending = createEnding();
  try {
    const world = await startWorld(ending, { ...about, routers: 1, scheduleSeconds: 2 });
    const { provider, routers } = world;
    provider.take(100, longestMs);
    const [router] = routers;
    if (router === undefined) throw new Error("no router");
    const tenant = await world.tenant("soak-leavers", {
      policy: { deadlineMs, limits: { usdPerDay: 1_000 } },
    });
    const legacy = await legacySession(router, tenant.key);
    const sent = new Map<string, { era: "legacy" | "modern"; number: number; left: boolean }>();
    await crowd(32, about.calls, async (number) => {
      const era = number % 2 === 0 ? "legacy" : "modern";
      const params = questionOf(number);
      const its = { era, number, left: false } as const;
      const signal = AbortSignal.timeout(below(longestMs) + 1);
      const asked = { number, params, signal };
      const answer = await (
        era === "legacy" ? legacy(asked) : call(router, tenant.key, asked)
      ).catch(() => null);
      sent.set(sha256Of(params), { ...its, left: answer === null });
      // What was left goes on. Without the pause more and more calls would run at once, and none would end in time.
      if (answer === null) await wait(longestMs);
    });
    const patience = performance.now() + 60_000;
    const read = () => recordsOf(world, tenant);
    await wait(3_000);
    while (
      performance.now() < patience &&
      (await read()).some(({ outcome }) => outcome === "admitted")
    )
      await wait(1_000);
    const rows = await read();
    const faults = await reconciled(world, tenant, { rates: false });
    const counts = new Map<string, number>();
    const recorded = new Set<number>();
    for (const { contentSha256, outcome, reason } of rows) {
      const its = sent.get(contentSha256);
      if (its === undefined) {
        faults.push("a record of nobody's call");
        continue;
      }
      recorded.add(its.number);
      const what = `${its.era} ${its.left ? "left" : "stayed"}: ${outcome}`;
      counts.set(what, (counts.get(what) ?? 0) + 1);
      const allowed =
        its.era === "modern" && its.left
          ? ["cancelled", "succeeded", "unknown"]
          : ["succeeded", "unknown"];
      if (!allowed.includes(outcome)) faults.push(`${what}, ${reason ?? ""}`);
    }
    const missing = [...provider.seen].filter((number) => !recorded.has(number));
    if (missing.length > 0) faults.push(`${missing.length} seen by the provider have no record`);
    for (const needed of ["legacy left: succeeded", "modern left: cancelled"])
      if (!counts.has(needed)) faults.push(`nothing of this kind happened: ${needed}`);
    say(
      `${about.calls} calls, ${provider.seen.size} seen by the provider, ${rows.length} records: ${[
        ...counts,
      ]
        .toSorted()
        .map(([what, count]) => `${count} ${what}`)
        .join(", ")}`,
    );
    return faults;
  } finally {
    await ending.run();
  }
}
