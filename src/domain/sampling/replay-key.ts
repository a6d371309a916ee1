/**
 * Calls that run once, however often they are sent. Admission claims the call's replay key and settlement
 * answers it, so that a repetition is known before a provider is called.
 */
import type { Refusal } from "../refusals.ts";

/** Who may send the call again. No kind's key can be another kind's: a client's key is bare hex. */
export type ReplayKey =
  /** a client with a key of its own; hex SHA-256 of the key that the client sent */
  | { kind: "client"; key: string }
  /**
   * a stream that is replayed; within `scope`, the server's id (JSON) names one request. `joins`: hex SHA-256 of the key
   * by which the server names a held call
   */
  | { kind: "stream"; scope: string; messageId: string; joins?: string }
  /** a modern round that is sent again; hex SHA-256 of everything that makes two rounds the same */
  | { kind: "round"; digest: string; keptMs: number };

const dayMs = 24 * 3_600_000;
/** Who already waits for the answer gets a failure, too. Who asks later begins a new call. */
const failureReplayedMs = 5_000;

/** The beginning of the keys of a stream's request, whatever its params. */
export const streamKeys = (scope: string, messageId: string): string =>
  `stream/${JSON.stringify([scope, messageId])}/`;

/** The key of a held call whose server was sent away, and asks the same again in its session without naming the call. */
export const returningKey = (scope: string, contentSha256: string): string =>
  `returning/${JSON.stringify([scope])}/${contentSha256}`;

/** The key of a call with these params (hex SHA-256). */
export function keyOf(replayKey: ReplayKey, contentSha256: string): string {
  switch (replayKey.kind) {
    case "client":
      return replayKey.key;
    // The same id with other params is another request.
    case "stream":
      return `${streamKeys(replayKey.scope, replayKey.messageId)}${contentSha256}`;
    case "round":
      return `round/${replayKey.digest}`;
  }
}

/** ms since the epoch, until when a call whose end is never written holds its key. */
export const heldUntil = (
  replayKey: ReplayKey,
  times: { now: number; leaseUntil: number },
): number => (replayKey.kind === "round" ? times.leaseUntil : times.now + dayMs);

/** ms for which an ended call answers its repetitions; 0: its key is free. */
export function answersForMs(
  replayKey: ReplayKey,
  ended: { refusal: Refusal | null; charge: { tokens: number; microUsd: number | null } },
): number {
  const { refusal, charge } = ended;
  switch (replayKey.kind) {
    // A client never pays twice for what it has paid for.
    case "client":
      return refusal !== null && charge.tokens === 0 && charge.microUsd === 0 ? 0 : dayMs;
    // The server has its answer, whatever the outcome was.
    case "stream":
      return dayMs;
    // Leaving is how the modern era cancels, and a client that comes back wants an answer.
    case "round":
      if (refusal === null) return replayKey.keptMs;
      return refusal.reason === "cancelled" ? 0 : failureReplayedMs;
  }
}

/** The largest row of a Durable Object is 2 MB, and sealed text is ASCII. */
const partCharacters = 1_000_000;

/**
 * A sealed result in parts that fit a row. Sealed texts of any key and version have one length, so they have as
 * many parts.
 */
export function resultPartsOf(sealed: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < sealed.length; at += partCharacters)
    parts.push(sealed.slice(at, at + partCharacters));
  return parts;
}
