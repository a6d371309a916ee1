/** Limits and leases of parked calls, which wait at a legacy server for their client. */
import type { Refusal } from "../refusals.ts";

/** Parked calls at a time, in all processes. */
export const maxParked = { perKey: 20, perTenant: 200 } as const;

/** ms for which a parked call's process counts as alive, and between renewals. */
export const parkedLeaseMs = 60_000;
export const renewalMs = 20_000;

export const tooManyParked = (limit: "key.parkedCalls" | "tenant.parkedCalls"): Refusal => ({
  reason: "rate_limited",
  limit,
  retryAfterMs: parkedLeaseMs,
});
