/**
 * Calls that are made once, however often they are asked for. Each has a key that its admission claims
 * and its settlement answers, so that it is one before its provider is called.
 */
import type { Refusal } from "../refusals.ts";

/** Who may ask again. No kind's key is another's: a client's are bare hex. */
export type Once =
  /** a client with a key of its own; hex SHA-256 of what it sent */
  | { kind: "client"; key: string }
  /** a stream that is replayed; `scope` is that within which the server's id (JSON) is one request's */
  | { kind: "stream"; scope: string; messageId: string }
  /** a modern round that is sent again; hex SHA-256 of all that makes it the same */
  | { kind: "round"; digest: string; keptMs: number };

const dayMs = 24 * 3_600_000;
/** Those who wait for an answer that became a failure hear it too; those who ask later try anew. */
const failureHeardMs = 5_000;

/** How the keys of a stream's request begin, whatever its params. */
export const streamKeys = (scope: string, messageId: string): string =>
  `stream/${JSON.stringify([scope, messageId])}/`;

/** Of a call with these params (hex SHA-256). */
export function keyOf(once: Once, contentSha256: string): string {
  switch (once.kind) {
    case "client":
      return once.key;
    // The same id with other params is another request.
    case "stream":
      return `${streamKeys(once.scope, once.messageId)}${contentSha256}`;
    case "round":
      return `round/${once.digest}`;
  }
}

/** ms since the epoch: until when a call holds its key that is never heard of again. */
export const heldUntil = (once: Once, about: { now: number; leaseUntil: number }): number =>
  once.kind === "round" ? about.leaseUntil : about.now + dayMs;

/** ms for which a call that has ended answers those that repeat it; 0: it sets its key free. */
export function answersForMs(
  once: Once,
  ended: { refusal: Refusal | null; charge: { tokens: number; microUsd: number | null } },
): number {
  const { refusal, charge } = ended;
  switch (once.kind) {
    // What was paid for is never paid for again.
    case "client":
      return refusal !== null && charge.tokens === 0 && charge.microUsd === 0 ? 0 : dayMs;
    // Its server has been told, whatever it was.
    case "stream":
      return dayMs;
    // Leaving is how that era cancels, and whoever comes back wants an answer.
    case "round":
      if (refusal === null) return once.keptMs;
      return refusal.reason === "cancelled" ? 0 : failureHeardMs;
  }
}

/** The largest row of D1 is 2 MB, and sealed text is ASCII. */
const partCharacters = 1_000_000;

/** A sealed result in parts that fit a row. As many for every key and version: they seal to one length. */
export function resultPartsOf(sealed: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < sealed.length; at += partCharacters)
    parts.push(sealed.slice(at, at + partCharacters));
  return parts;
}
