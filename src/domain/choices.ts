/** From a ranking to the candidates among which failover finds its way. */
import { maxAttempts } from "./failover.ts";
import type { Model } from "./models.ts";
import { byPreference, type Order } from "./score.ts";

/** A feasible model with those of its credentials that a call could come to, best first. */
export interface Choice {
  model: Model;
  credentialIds: string[];
}

/** Puts a place among the best few, best first, if it belongs there. */
function keepBest(best: number[], place: number, inOrder: (a: number, b: number) => number): void {
  if (best.length === maxAttempts) {
    if (inOrder(place, best[maxAttempts - 1] ?? 0) > 0) return;
    best.pop();
  }
  let at = best.length;
  while (at > 0 && inOrder(place, best[at - 1] ?? 0) < 0) at -= 1;
  best.splice(at, 0, place);
}

/**
 * The best few of each credential of the best few providers, in order. A call makes few attempts, and what
 * it leaves is at the least a model of a credential, so whatever fails, its next candidate is one of these.
 */
export function choicesOf(order: Order): Choice[] {
  const { scores } = order;
  const entryAt = (place: number) => scores.field.entries[scores.entries[place] ?? 0];
  const inOrder = (a: number, b: number): number => byPreference(order, a, b);
  const best = new Map<string, number[]>();
  // Models that stand together are mostly of one provider, and served by the same credential.
  let lastId: string | null = null;
  let places: number[] = [];
  for (let place = 0; place < scores.entries.length; place += 1)
    for (const id of entryAt(place)?.credentialIds ?? []) {
      if (id !== lastId) {
        places = best.get(id) ?? [];
        best.set(id, places);
        lastId = id;
      }
      keepBest(places, place, inOrder);
    }
  // An attempt rules out one endpoint at most, so that many providers are enough too.
  const leaders = new Map<string, number>();
  for (const [leader] of best.values()) {
    if (leader === undefined) continue;
    const { provider = "" } = entryAt(leader)?.model ?? {};
    const known = leaders.get(provider);
    if (known === undefined || inOrder(leader, known) < 0) leaders.set(provider, leader);
  }
  const providers = new Set(
    [...leaders]
      .toSorted(([, a], [, b]) => inOrder(a, b))
      .slice(0, maxAttempts)
      .map(([provider]) => provider),
  );
  const idsAt = new Map<number, Set<string>>();
  for (const [id, kept] of best)
    for (const place of kept)
      if (providers.has(entryAt(place)?.model.provider ?? ""))
        idsAt.set(place, (idsAt.get(place) ?? new Set()).add(id));
  return [...idsAt]
    .toSorted(([a], [b]) => inOrder(a, b))
    .flatMap(([place, ids]): Choice[] => {
      const entry = entryAt(place);
      if (entry === undefined) return [];
      const credentialIds = entry.credentialIds.filter((id) => ids.has(id));
      return [{ model: entry.model, credentialIds }];
    });
}
