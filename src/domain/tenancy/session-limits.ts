/** How many sessions a key may have, and begin. An `initialize` costs its caller nothing and leaves a row. */
import type { JsonObject } from "../json.ts";
import type { Refusal } from "../refusals.ts";
import { err, ok, type Result } from "../result.ts";
import type { Session } from "./session.ts";

export interface SessionLimits {
  /** sessions that one key may have at a time, with the router and through the proxy together */
  perKey: number;
  /** `initialize` requests of one key in any minute */
  initializePerMinute: number;
}

/** Enough for one host with thousands of users behind its key. */
export const defaultSessionLimits: SessionLimits = { perKey: 10_000, initializePerMinute: 600 };

export interface SessionLimitSettings {
  SESSIONS_PER_KEY?: string;
  INITIALIZE_PER_MINUTE?: string;
}

const mostCounted = 1_000_000;

/** A whole number of at least one; empty: the default. */
function countIn(
  env: SessionLimitSettings,
  setting: keyof SessionLimitSettings,
  unlessSet: number,
): Result<number, { setting: string; problem: string }> {
  const text = env[setting]?.trim() ?? "";
  if (text === "") return ok(unlessSet);
  const count = Number(text);
  return Number.isInteger(count) && count >= 1 && count <= mostCounted
    ? ok(count)
    : err({ setting, problem: `must be a whole number from 1 to ${mostCounted}` });
}

export function parseSessionLimits(
  env: SessionLimitSettings,
): Result<SessionLimits, { setting: string; problem: string }> {
  const perKey = countIn(env, "SESSIONS_PER_KEY", defaultSessionLimits.perKey);
  if (!perKey.ok) return perKey;
  const usual = defaultSessionLimits.initializePerMinute;
  const initializePerMinute = countIn(env, "INITIALIZE_PER_MINUTE", usual);
  if (!initializePerMinute.ok) return initializePerMinute;
  return ok({ perKey: perKey.value, initializePerMinute: initializePerMinute.value });
}

/** ms without use after which a session may make room for another. Its client gets 404 and begins anew. */
export const idleAfterMs = 600_000;

/** How many sessions make room at once, so that they are seldom looked for. */
export const evictedAtOnce = ({ perKey }: SessionLimits): number =>
  Math.max(1, Math.floor(perKey / 16));

/** ms after which a caller may try again where every session is in use. */
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

/** Bytes of JSON that a client declares about itself. They are kept as long as the session and read with it. */
export const maxDeclaredBytes = 8_192;
/** Bytes of JSON that a server says about itself, where the router answers in the server's place. */
const maxBridgeBytes = 262_144;

/** Icons may be whole pictures, and the router shows none. */
export const storedClientInfo = ({ icons: _, ...clientInfo }: JsonObject): JsonObject => clientInfo;

const bytesOf = (value: unknown): number =>
  new TextEncoder().encode(JSON.stringify(value)).byteLength;

/** null: the session is no larger than it may be */
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
