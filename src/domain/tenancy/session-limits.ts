/** How many sessions a key may have, and begin. An `initialize` costs its caller nothing, and leaves a row. */
import type { JsonObject } from "../json.ts";
import type { Refusal } from "../refusals.ts";
import type { Session } from "./session.ts";

export interface SessionLimits {
  /** sessions that one key may have at a time, with the router and through it together */
  perKey: number;
  /** `initialize` requests of one key in any minute */
  initializePerMinute: number;
}

/** Room for one host with thousands of users behind its key. */
export const defaultSessionLimits: SessionLimits = { perKey: 10_000, initializePerMinute: 600 };

/** ms without use after which a session may make room for another: its client gets 404, and begins anew. */
export const idleAfterMs = 600_000;

/** Sessions that make room at once, so that it is seldom looked for. */
export const evictedAtOnce = ({ perKey }: SessionLimits): number =>
  Math.max(1, Math.floor(perKey / 16));

/** What a caller is told to wait where every session is in use. */
const roomAfterMs = 60_000;

export const tooManySessions: Refusal = {
  reason: "rate_limited",
  limit: "key.sessions",
  retryAfterMs: roomAfterMs,
};

export const tooManyInitializes = (retryAfterMs: number): Refusal => ({
  reason: "rate_limited",
  limit: "key.initializePerMinute",
  retryAfterMs,
});

/** JSON of what a client says of itself: kept as long as the session, and read with it. */
export const maxDeclaredBytes = 8_192;
/** JSON of what a server says of itself, where the router answers in its place. */
const maxBridgeBytes = 262_144;

/** Icons are for people's eyes, may be whole pictures, and nobody looks at them here. */
export const storedClientInfo = ({ icons: _, ...clientInfo }: JsonObject): JsonObject => clientInfo;

const bytesOf = (value: unknown): number =>
  new TextEncoder().encode(JSON.stringify(value)).byteLength;

/** null: no larger than a session may be */
export function problemWithSize({
  revision,
  upstreamId,
  capabilities,
  clientInfo,
  bridge,
}: Pick<Session, "capabilities" | "clientInfo"> &
  Partial<Pick<Session, "revision" | "upstreamId" | "bridge">>): Refusal | null {
  if (
    bytesOf([revision, upstreamId, capabilities, storedClientInfo(clientInfo)]) > maxDeclaredBytes
  )
    return { reason: "payload_too_large", limitBytes: maxDeclaredBytes };
  return bytesOf(bridge ?? null) > maxBridgeBytes
    ? { reason: "payload_too_large", limitBytes: maxBridgeBytes }
    : null;
}
