/**
 * A process is killed at random moments under load, again and again. Another one sweeps: on a libSQL server one that
 * lives on; on a file and on objects the one that is started next.
 */
import { createEnding } from "../../src/start/ending.ts";
import { reconciled, recordsOf } from "./sums.ts";
import {
  below,
  call,
  questionOf,
  sha256Of,
  startWorld,
  wait,
  type DatabaseName,
  type Say,
  type SoakRouter,
} from "./world.ts";

const callers = 12;
/** ms; a lease is half a minute longer */
const deadlineMs = 1_000;
const leaseMs = deadlineMs + 30_000;

export async function soakCrashes(
  about: { database: DatabaseName; rounds: number; atMostMs: number; callers?: number },
  say: Say,
): Promise<string[]> {
  const { database } = about;
  const ending = createEnding();
  try {
    const world = await startWorld(ending, { database, routers: 1, scheduleSeconds: 2 });
    const { provider, routers } = world;
    provider.take(5, 250);
    const tenant = await world.tenant("soak-crashes", {
      policy: { deadlineMs, limits: { usdPerDay: 10_000, tokensPerMinute: 100_000_000 } },
      keyLimits: { usdPerMonth: 10_000, requestsPerMinute: 1_000_000 },
    });
    const shas = new Map<number, string>();
    let [next, rounds, answered] = [0, 0, 0];
    const until = performance.now() + about.atMostMs;
    const isShared = database === "sqld";
    let coming: Promise<SoakRouter | undefined> = isShared
      ? world.another()
      : Promise.resolve(routers[0]);
    while (rounds < about.rounds && performance.now() < until) {
      const victim = await coming;
      if (victim === undefined) throw new Error("no router");
      rounds += 1;
      const last = rounds === about.rounds || performance.now() > until;
      if (isShared && !last) coming = world.another();
      const victimIs = { dead: false };
      const seenBefore = provider.seen.size;
      const load = Array.from({ length: about.callers ?? callers }, async () => {
        while (!victimIs.dead) {
          const number = (next += 1);
          const params = questionOf(number);
          shas.set(number, sha256Of(params));
          const called = await call(victim, tenant.key, { number, params }).catch(() => null);
          if (called?.succeeded === true) answered += 1;
        }
      });
      // A cold process takes a while until a call of it is at the provider, and only then is there one to lose.
      while (provider.seen.size === seenBefore && performance.now() < until) await wait(5);
      await wait(50 + below(900));
      victimIs.dead = true;
      await victim.kill9();
      await Promise.all(load);
      if (!isShared) coming = world.another();
      if (rounds % 20 === 0)
        say(`round ${rounds}: ${next} calls, ${answered} answered, ${provider.seen.size} seen`);
      if (last) break;
    }
    await coming;
    say(`${rounds} rounds; waiting for the last lease`);
    const recordBy = async () => await recordsOf(world, tenant);
    const patience = performance.now() + leaseMs + 60_000;
    await wait(leaseMs);
    while (
      performance.now() < patience &&
      (await recordBy()).some(({ outcome }) => outcome === "admitted")
    )
      await wait(1_000);
    const rows = await recordBy();
    const recorded = new Set(rows.map(({ contentSha256 }) => contentSha256));
    const missing = [...provider.seen].filter((number) => !recorded.has(shas.get(number) ?? ""));
    const counts = Map.groupBy(rows, ({ outcome }) => outcome);
    say(
      `${rounds} rounds of kill -9: ${next} calls, ${answered} answered, ${provider.seen.size} seen by the provider; ${rows.length} records: ${[...counts].map(([outcome, its]) => `${its.length} ${outcome}`).join(", ")}`,
    );
    const faults = await reconciled(world, tenant, { rates: false });
    if (missing.length > 0) faults.push(`${missing.length} seen by the provider have no record`);
    const ended = counts.get("succeeded")?.length ?? 0;
    if (ended < answered) faults.push(`${answered} answered, but only ${ended} settled`);
    if (recorded.size !== rows.length) faults.push("a call has two records");
    if ((counts.get("unknown")?.length ?? 0) === 0 && rounds > 5)
      faults.push("no call was lost: nothing was tried");
    return faults;
  } finally {
    await ending.run();
  }
}
