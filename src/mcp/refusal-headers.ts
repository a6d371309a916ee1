/** Headers for rate limits and refusals. */
import type { LimitState } from "../domain/limits/limit-checks.ts";
import { retryAfterOf, type Refusal } from "../domain/refusals.ts";

/** RFC 9110, section 15.5.6. */
export const allowHeader = (refusal: Refusal): Record<string, string> =>
  refusal.reason === "method_not_allowed" ? { Allow: refusal.allow } : {};

/**
 * `RateLimit` and `RateLimit-Policy` by draft-ietf-httpapi-ratelimit-headers. Rates count whole seconds, so the
 * last may outlast the window; `t` stays within it, and `Retry-After` is exact.
 */
export function limitHeaders(limits: readonly LimitState[], refusal: Refusal | null) {
  const headers: Record<string, string> = {};
  if (limits.length > 0) {
    headers["RateLimit-Policy"] = limits
      .map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`)
      .join(", ");
    headers["RateLimit"] = limits
      .map(
        ({ name, remaining, resetSeconds, windowSeconds }) =>
          `"${name}";r=${remaining};t=${Math.min(resetSeconds, windowSeconds)}`,
      )
      .join(", ");
  }
  const retryAfterMs = refusal === null ? null : retryAfterOf(refusal);
  if (retryAfterMs !== null) headers["Retry-After"] = String(Math.ceil(retryAfterMs / 1_000));
  return headers;
}
