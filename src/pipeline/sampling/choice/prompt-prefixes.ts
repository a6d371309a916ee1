/** Bounded; tenants never share or displace each other's entries. */
import { createBoundedMap } from "../../../domain/bounded-map.ts";
import type { JsonValue } from "../../../domain/json.ts";
import {
  cacheLifetimeMs,
  entryReadableAfterMs,
  type PromptPrefixes,
  type SentPrompt,
} from "../../../domain/sampling/prompt-caching.ts";

/** Boundaries remembered per prompt: the first ones and the last. */
const placesRemembered = 16;
/** Pieces that are hashed; longer prompts are rarely prefixes. */
const piecesHashed = 512;
/** OpenAI's limit, which others adopted, is 64. */
const charactersOfKey = 32;

/** ms since the epoch; `first`: start of uses without a gap longer than the lifetime */
interface Sent {
  first: number;
  last: number;
}

const isAlive = (sent: Sent | undefined, at: number): sent is Sent =>
  sent !== undefined && at - sent.last < cacheLifetimeMs;

export function createPromptPrefixes(deps: {
  hash: (value: JsonValue) => Promise<string>;
  now: () => number;
  entriesRemembered: number;
  tenantsRemembered: number;
}): PromptPrefixes {
  const { hash, now, entriesRemembered, tenantsRemembered } = deps;
  const tenants = createBoundedMap<string, Map<string, Sent>>(tenantsRemembered);
  const recalled = new WeakMap<object, Map<string, Promise<number>>>();

  /** Each hash covers all pieces before it. */
  const hashesOf = async ({ tenantId, scope, pieces }: Omit<SentPrompt, "messages">) => {
    let last = await hash([tenantId, ...scope]);
    const hashes: string[] = [];
    for (const piece of pieces.slice(0, piecesHashed)) {
      last = await hash([last, piece]);
      hashes.push(last);
    }
    return hashes;
  };

  const entriesOf = (tenantId: string): Map<string, Sent> => {
    const entries = tenants.get(tenantId) ?? new Map<string, Sent>();
    tenants.set(tenantId, entries);
    return entries;
  };

  const remember = (entries: Map<string, Sent>, hashes: readonly string[], at: number): void => {
    const kept = [...hashes.slice(0, placesRemembered - 1), hashes.at(-1)];
    for (const each of kept) {
      if (each === undefined) continue;
      const known = entries.get(each);
      entries.delete(each);
      entries.set(each, { first: isAlive(known, at) ? known.first : at, last: at });
    }
    for (const [each] of entries) {
      if (entries.size <= entriesRemembered) break;
      entries.delete(each);
    }
  };

  const lookUp = async (prompt: SentPrompt): Promise<number> => {
    const at = now();
    const hashes = await hashesOf(prompt);
    const entries = entriesOf(prompt.tenantId);
    const seen = hashes.findLastIndex((each) => {
      const known = entries.get(each);
      return isAlive(known, at) && at - known.first >= entryReadableAfterMs;
    });
    remember(entries, hashes, at);
    return seen + 1;
  };

  return {
    recall(prompt) {
      const scope = JSON.stringify([prompt.tenantId, ...prompt.scope]);
      const known = recalled.get(prompt.messages) ?? new Map<string, Promise<number>>();
      recalled.set(prompt.messages, known);
      const found = known.get(scope) ?? lookUp(prompt);
      known.set(scope, found);
      return found;
    },
    cacheKeyOf: async (prompt) => ((await hashesOf(prompt)).at(-1) ?? "").slice(0, charactersOfKey),
  };
}
