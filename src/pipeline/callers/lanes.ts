/** Whose turn a request takes, from what is known without a read. */
import type { KeyTokens } from "../../domain/ports/stores.ts";
import { memoryKeyOf, type CallerMemory } from "./caller-memory.ts";

interface LaneDeps {
  tokens: Pick<KeyTokens, "keyIdOf" | "matches" | "isMarked">;
  memory: Pick<CallerMemory, "last" | "isUnknown">;
}

/** Access tokens, whose tenant is known only once they are checked, and what is no token at all. */
const otherLane = "others";

/**
 * How a shown key stands: of a tenant that this process has met, made by this deployment, or neither. Only a stranger can send a new
 * one with each request, so strangers take no turns beside others, and their keys are looked up in a row of their own.
 */
export async function standingOf(
  { tokens, memory }: LaneDeps,
  { token, memoryKey }: { token: string; memoryKey: string },
): Promise<{ kind: "of a tenant"; tenantId: string } | { kind: "marked" } | { kind: "stranger" }> {
  const last = memory.last(memoryKey)?.snapshot;
  if (last !== undefined && (await tokens.matches(token, last.key.secretHash)))
    return { kind: "of a tenant", tenantId: last.tenant.id };
  return { kind: (await tokens.isMarked(token)) ? "marked" : "stranger" };
}

export type Lane =
  | { kind: "lane"; name: string }
  /** the key is known to be nobody's */
  | { kind: "nobody" }
  | { kind: "stranger" };

export type LaneOf = (claim: { token: string | null; sessionId: string | null }) => Promise<Lane>;

/** The lane of a request. Nothing is read for that. */
export function createLaneOf(deps: LaneDeps): LaneOf {
  const { tokens, memory } = deps;
  return async ({ token, sessionId }) => {
    const keyId = token === null ? null : tokens.keyIdOf(token);
    if (token === null || keyId === null) return { kind: "lane", name: otherLane };
    if (memory.isUnknown(keyId)) return { kind: "nobody" };
    const standing = await standingOf(deps, {
      token,
      memoryKey: memoryKeyOf(keyId, { sessionId }),
    });
    if (standing.kind === "stranger") return standing;
    // An unused key waits behind no other one.
    return { kind: "lane", name: standing.kind === "marked" ? keyId : standing.tenantId };
  };
}
