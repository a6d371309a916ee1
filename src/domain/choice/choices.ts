/** Reduces a ranking to the candidates that failover can reach. */
import type { CompiledRequirements } from "./compiled-requirements.ts";
import { maxAttempts } from "./failover.ts";
import type { Model } from "../models/model.ts";
import { byPreference, type Order } from "./score.ts";

export interface Choice {
  model: Model;
  credentialIds: string[];
}

function keepBest(order: Order, best: number[], place: number): void {
  if (best.length === maxAttempts) {
    if (byPreference(order, place, best[maxAttempts - 1] ?? 0) > 0) return;
    best.pop();
  }
  let at = best.length;
  while (at > 0 && byPreference(order, place, best[at - 1] ?? 0) < 0) at -= 1;
  best.splice(at, 0, place);
}

function leadersOf(order: Order): number[] {
  const { positions, pool } = order.scores;
  const { of, ids } = pool.columns.credentials;
  const leaders = ids.map(() => -1);
  for (let place = 0; place < positions.length; place += 1) {
    const group = of[positions[place] ?? 0] ?? 0;
    const leader = leaders[group] ?? -1;
    if (leader === -1 || byPreference(order, place, leader) < 0) leaders[group] = place;
  }
  return leaders;
}

function leadingGroups(order: Order): boolean[] {
  const { positions, pool } = order.scores;
  const providerAt = (place: number): string =>
    pool.ranked[positions[place] ?? 0]?.model.provider ?? "";
  // An attempt rules out at most one endpoint, so as many providers as attempts are enough.
  const { ids } = pool.columns.credentials;
  if (ids.length <= maxAttempts) return ids.map(() => true);
  const leaders = leadersOf(order);
  const byProvider = new Map<string, number>();
  for (const leader of leaders) {
    if (leader === -1) continue;
    const provider = providerAt(leader);
    const known = byProvider.get(provider);
    if (known === undefined || byPreference(order, leader, known) < 0)
      byProvider.set(provider, leader);
  }
  const providers = new Set(
    [...byProvider]
      .toSorted(([, a], [, b]) => byPreference(order, a, b))
      .slice(0, maxAttempts)
      .map(([provider]) => provider),
  );
  return leaders.map((leader) => leader !== -1 && providers.has(providerAt(leader)));
}

function bestByCredential(order: Order): Map<string, number[]> {
  const { positions, pool } = order.scores;
  const { of, ids } = pool.columns.credentials;
  const leads = leadingGroups(order);
  // Most models of a provider share their credentials, so they are compared as a group.
  const byGroup = ids.map((): number[] => []);
  for (let place = 0; place < positions.length; place += 1) {
    const group = of[positions[place] ?? 0] ?? 0;
    if (leads[group] === true) keepBest(order, byGroup[group] ?? [], place);
  }
  const byId = new Map<string, number[]>();
  for (const [group, places] of byGroup.entries()) {
    if (leads[group] !== true) continue;
    for (const id of ids[group] ?? []) {
      const best = byId.get(id) ?? [];
      byId.set(id, best);
      for (const place of places) keepBest(order, best, place);
    }
  }
  return byId;
}

const nearlyFull = 0.5;

/** The place with the largest context; null: the first model has enough room, or no model has more. */
function roomierThan(
  first: number,
  order: Order,
  { maxInputTokens }: Pick<CompiledRequirements, "maxInputTokens">,
): number | null {
  const { positions, pool } = order.scores;
  const entryAt = (place: number) => pool.ranked[positions[place] ?? 0];
  const roomAt = (place: number): number => {
    const tokens = entryAt(place)?.contextTokens ?? 0;
    return Number.isFinite(tokens) ? tokens : 0;
  };
  const inputTokens = maxInputTokens[entryAt(first)?.familyIndex ?? 0] ?? 0;
  if (inputTokens <= roomAt(first) * nearlyFull) return null;
  let roomiest = first;
  for (let place = 0; place < positions.length; place += 1) {
    const more = roomAt(place) - roomAt(roomiest);
    if (more > 0 || (more === 0 && byPreference(order, place, roomiest) < 0)) roomiest = place;
  }
  return roomAt(roomiest) > roomAt(first) ? roomiest : null;
}

/** A fault rules out at least a model of a credential, so failover needs no others. */
export function choicesOf(
  order: Order,
  compiled: Pick<CompiledRequirements, "maxInputTokens">,
): Choice[] {
  const { positions, pool } = order.scores;
  const entryAt = (place: number) => pool.ranked[positions[place] ?? 0];
  const idsAt = new Map<number, string[]>();
  for (const [id, places] of bestByCredential(order))
    for (const place of places) idsAt.set(place, [...(idsAt.get(place) ?? []), id]);
  const places = [...idsAt.keys()].toSorted((a, b) => byPreference(order, a, b));
  const roomier = places[0] === undefined ? null : roomierThan(places[0], order, compiled);
  if (roomier !== null && !idsAt.has(roomier)) {
    idsAt.set(roomier, entryAt(roomier)?.credentialIds.slice(0, maxAttempts) ?? []);
    places.push(roomier);
  }
  return places
    .toSorted((a, b) => byPreference(order, a, b))
    .flatMap((place): Choice[] => {
      const entry = entryAt(place);
      if (entry === undefined) return [];
      const ids = idsAt.get(place) ?? [];
      return [
        { model: entry.model, credentialIds: entry.credentialIds.filter((id) => ids.includes(id)) },
      ];
    });
}
