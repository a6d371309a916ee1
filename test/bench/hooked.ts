/** A Worker whose objects the bench can block and evict, with as many tenants as are asked for. */
import type { Ending } from "../../src/start/ending.ts";
import { databaseOf } from "../../src/domain/tenancy/database-names.ts";
import { samplingCall, type Call } from "./calls.ts";
import { startChild } from "./child.ts";
import { runTurn, type Target, type Turn } from "./load.ts";
import { adminToken, startWorker, workerValues } from "./subjects.ts";
import { createTenant } from "./tenant.ts";
import type { Hook, Hooking } from "./workers/hooked.ts";

export interface HookedTenant {
  call: Call;
  /** the name of its object */
  database: string;
}

export interface HookedWorker {
  pids: readonly number[];
  /** to be asked with that call */
  target(call: Call): Target;
  tenant(slug: string): Promise<HookedTenant>;
  hook(hook: Hook): Promise<Hooking>;
}

export async function startHooked(ending: Ending): Promise<HookedWorker> {
  const provider = await startChild<{ url: string }>("provider-process.ts", {}, ending);
  const about = { entry: "test/bench/workers/hooked.ts", embedded: true, values: workerValues };
  const { url, pids } = await startWorker(about, ending);
  return {
    pids,
    target: (call) => ({ url, call, pids: { server: pids, database: [] } }),
    async tenant(slug) {
      const made = await createTenant({ url, adminToken, providerUrl: provider.url, slug });
      return { call: samplingCall(await made.newKey()), database: databaseOf(made.id) };
    },
    async hook(hook) {
      const answer = await fetch(`${url}/bench/hook`, {
        method: "POST",
        body: JSON.stringify(hook),
      });
      if (!answer.ok) throw new Error(`the hook was answered ${answer.status}`);
      return (await answer.json()) as Hooking;
    },
  };
}

/** A turn in which no answer may be wrong. */
export async function rightTurn(
  target: Target,
  about: { concurrency: number; seconds: number },
): Promise<Turn> {
  const turn = await runTurn(target, about);
  if (turn.wrong > 0) throw new Error(`${turn.wrong} wrong answers, ${turn.firstWrong}`);
  return turn;
}

/** The value below which that share of all lies. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Each of them, so many at once. */
export async function eachOf<T, R>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < all.length; at = next++) results[at] = await work(all[at] as T);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
