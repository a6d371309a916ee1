import { err, ok, type Result } from "../result.ts";

/** `messages`: notifications, answers and session ends, which have no waiting client. */
export const openKinds = ["requests", "streams", "messages"] as const;
export type OpenKind = (typeof openKinds)[number];

export interface OpenLimits {
  key: Record<OpenKind, number>;
  tenant: Record<OpenKind, number>;
}

export const openLimitSettings = [
  "OPEN_REQUESTS_PER_KEY",
  "OPEN_STREAMS_PER_KEY",
  "OPEN_REQUESTS_PER_TENANT",
  "OPEN_STREAMS_PER_TENANT",
] as const;

export type OpenLimitSettings = Partial<Record<(typeof openLimitSettings)[number], string>>;

const defaultRequests = 256;
const defaultStreams = 1_024;
/** A tenant has several keys, and no key may use the whole share. */
const tenantTimes = 4;
const maxDigits = 7;

export function parseOpenLimits(
  env: OpenLimitSettings,
): Result<OpenLimits, { setting: string; problem: string }> {
  const wrong = openLimitSettings.find((setting) => {
    const text = env[setting] ?? "";
    return text !== "" && !(/^[1-9]\d*$/.test(text) && text.length <= maxDigits);
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
