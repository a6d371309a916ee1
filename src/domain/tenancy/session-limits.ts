/** Session limits of a key: an `initialize` is free for its caller and stores a row. */
import type { JsonObject } from "../json.ts";
import type { Refusal } from "../refusals.ts";
import { err, ok, type Result } from "../result.ts";
import type { Session } from "./session.ts";

export interface SessionLimits {
  perKey: number;
  initializePerMinute: number;
}

/** Enough for a host with thousands of users behind one key. */
export const defaultSessionLimits: SessionLimits = { perKey: 10_000, initializePerMinute: 600 };

export interface SessionLimitSettings {
  SESSIONS_PER_KEY?: string;
  INITIALIZE_PER_MINUTE?: string;
}

const maxCounted = 1_000_000;

function countIn(
  env: SessionLimitSettings,
  setting: keyof SessionLimitSettings,
  unlessSet: number,
): Result<number, { setting: string; problem: string }> {
  const text = env[setting]?.trim() ?? "";
  if (text === "") return ok(unlessSet);
  const count = Number(text);
  return Number.isInteger(count) && count >= 1 && count <= maxCounted
    ? ok(count)
    : err({ setting, problem: `must be a whole number from 1 to ${maxCounted}` });
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

/** ms without use after which a session may be evicted; its client gets 404 and reconnects. */
export const idleAfterMs = 600_000;

/** Evicts in batches, so that evictions are rare. */
export const evictedAtOnce = ({ perKey }: SessionLimits): number =>
  Math.max(1, Math.floor(perKey / 16));

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

/** Bytes of JSON that a client declares; stored and read with the session. */
export const maxDeclaredBytes = 8_192;
const maxBridgeBytes = 262_144;

/** Icons may be large and are not displayed. */
export const storedClientInfo = ({ icons: _, ...clientInfo }: JsonObject): JsonObject => clientInfo;

const bytesOf = (value: unknown): number =>
  new TextEncoder().encode(JSON.stringify(value)).byteLength;

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
