/** How much the proxy holds open at most, and the settings for it. */
import { err, ok, type Result } from "../result.ts";

/** `messages`: messages that nobody waits for, which are notifications, answers, and the end of a session. */
export const openKinds = ["requests", "streams", "messages"] as const;
export type OpenKind = (typeof openKinds)[number];

/** The most of each kind that one process holds at once. */
export interface OpenLimits {
  key: Record<OpenKind, number>;
  tenant: Record<OpenKind, number>;
}

export interface OpenLimitSettings {
  OPEN_REQUESTS_PER_KEY?: string;
  OPEN_STREAMS_PER_KEY?: string;
  OPEN_REQUESTS_PER_TENANT?: string;
  OPEN_STREAMS_PER_TENANT?: string;
}

export const openLimitSettings = [
  "OPEN_REQUESTS_PER_KEY",
  "OPEN_STREAMS_PER_KEY",
  "OPEN_REQUESTS_PER_TENANT",
  "OPEN_STREAMS_PER_TENANT",
] as const satisfies (keyof OpenLimitSettings)[];

const defaultRequests = 256;
const defaultStreams = 1_024;
/** A tenant has several keys, and no key may take the share of all. */
const tenantTimes = 4;
const mostDigits = 7;

/** A tenant's limit that is not set is four times its key's. */
export function parseOpenLimits(
  env: OpenLimitSettings,
): Result<OpenLimits, { setting: string; problem: string }> {
  const wrong = openLimitSettings.find((setting) => {
    const text = env[setting] ?? "";
    return text !== "" && !(/^[1-9]\d*$/.test(text) && text.length <= mostDigits);
  });
  if (wrong !== undefined)
    return err({ setting: wrong, problem: "must be a whole number, at least 1" });
  const numberIn = (setting: keyof OpenLimitSettings, usual: number): number =>
    Number(env[setting] || usual);
  const requests = numberIn("OPEN_REQUESTS_PER_KEY", defaultRequests);
  const streams = numberIn("OPEN_STREAMS_PER_KEY", defaultStreams);
  const tenant = {
    requests: numberIn("OPEN_REQUESTS_PER_TENANT", requests * tenantTimes),
    streams: numberIn("OPEN_STREAMS_PER_TENANT", streams * tenantTimes),
  };
  return ok({
    key: { requests, streams, messages: streams },
    tenant: { ...tenant, messages: tenant.streams },
  });
}
