/** Calls claim a key at admission, so that a repetition is detected before the provider is called. */
import type { Refusal } from "../refusals.ts";

/** Kinds can't collide: a client's key is bare hex. */
export type ReplayKey =
  /** hex SHA-256 of the client's idempotency key */
  | { kind: "client"; key: string }
  /** a replayed stream: JSON-RPC id in `scope`. `joins`: hex SHA-256 of the server's key for a held call */
  | { kind: "stream"; scope: string; messageId: string; joins?: string }
  /** a repeated modern round: hex SHA-256 of its identity */
  | { kind: "round"; digest: string; keptMs: number };

const dayMs = 24 * 3_600_000;
/** Failures are repeated to concurrent callers only. */
const failureReplayedMs = 5_000;

export const streamKeyPrefix = (scope: string, messageId: string): string =>
  `stream/${JSON.stringify([scope, messageId])}/`;

/** Key of a held call that its server repeats without naming the call. */
export const returningKey = (scope: string, contentSha256: string): string =>
  `returning/${JSON.stringify([scope])}/${contentSha256}`;

export function keyOf(replayKey: ReplayKey, contentSha256: string): string {
  switch (replayKey.kind) {
    case "client":
      return replayKey.key;
    case "stream":
      return `${streamKeyPrefix(replayKey.scope, replayKey.messageId)}${contentSha256}`;
    case "round":
      return `round/${replayKey.digest}`;
  }
}

/** Expiry of the key if the call's end is lost; ms since the epoch. */
export const heldUntil = (
  replayKey: ReplayKey,
  times: { now: number; leaseUntil: number },
): number => (replayKey.kind === "round" ? times.leaseUntil : times.now + dayMs);

export function answersForMs(
  replayKey: ReplayKey,
  ended: { refusal: Refusal | null; charge: { tokens: number; microUsd: number | null } },
): number {
  const { refusal, charge } = ended;
  switch (replayKey.kind) {
    // A client never pays twice.
    case "client":
      return refusal !== null && charge.tokens === 0 && charge.microUsd === 0 ? 0 : dayMs;
    // The server already has its answer.
    case "stream":
      return dayMs;
    // Leaving cancels in the modern era, so a returning client starts again.
    case "round":
      if (refusal === null) return replayKey.keptMs;
      return refusal.reason === "cancelled" ? 0 : failureReplayedMs;
  }
}

/** A Durable Object's row holds 2 MB; sealed text is ASCII. */
const partCharacters = 1_000_000;

export function resultPartsOf(sealed: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < sealed.length; at += partCharacters)
    parts.push(sealed.slice(at, at + partCharacters));
  return parts;
}
