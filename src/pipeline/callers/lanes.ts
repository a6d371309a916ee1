import type { KeyTokens } from "../../domain/ports/stores.ts";
import { memoryKeyOf, type CallerMemory } from "./caller-memory.ts";

interface LaneDeps {
  tokens: Pick<KeyTokens, "keyIdOf" | "matches" | "isMarked">;
  memory: Pick<CallerMemory, "last" | "isUnknown">;
}

/** For access tokens, whose tenant isn't known yet, and invalid tokens. */
const otherLane = "others";

/** Invented keys can differ per request, so their lookups have a queue of their own. */
export async function keyStatusOf(
  { tokens, memory }: LaneDeps,
  { token, memoryKey }: { token: string; memoryKey: string },
): Promise<{ kind: "known"; tenantId: string } | { kind: "issued" } | { kind: "unverified" }> {
  const last = memory.last(memoryKey)?.snapshot;
  if (last !== undefined && (await tokens.matches(token, last.key.secretHash)))
    return { kind: "known", tenantId: last.tenant.id };
  return { kind: (await tokens.isMarked(token)) ? "issued" : "unverified" };
}

/** `unknown`: the database has no such key; `unverified`: it may have been invented. */
export type Lane = { kind: "lane"; name: string } | { kind: "unknown" } | { kind: "unverified" };

export type LaneOf = (claim: { token: string | null; sessionId: string | null }) => Promise<Lane>;

export function createLaneOf(deps: LaneDeps): LaneOf {
  const { tokens, memory } = deps;
  return async ({ token, sessionId }) => {
    const keyId = token === null ? null : tokens.keyIdOf(token);
    if (token === null || keyId === null) return { kind: "lane", name: otherLane };
    if (memory.isUnknown(keyId)) return { kind: "unknown" };
    const status = await keyStatusOf(deps, {
      token,
      memoryKey: memoryKeyOf(keyId, { sessionId }),
    });
    if (status.kind === "unverified") return status;
    // A first-time key waits behind no other.
    return { kind: "lane", name: status.kind === "issued" ? keyId : status.tenantId };
  };
}
