/** Headers that tell how limits stand, and what a refusal asks for. */
import type { LimitState } from "../domain/limits/holds.ts";
import { retryAfterOf, type Refusal } from "../domain/refusals.ts";

/** RFC 9110, section 15.5.6: a 405 lists the methods that there are. */
export const allowHeader = (refusal: Refusal): Record<string, string> =>
  refusal.reason === "method_not_allowed" ? { Allow: refusal.allow } : {};

/**
 * `RateLimit` and `RateLimit-Policy` as draft-ietf-httpapi-ratelimit-headers spells them. A rate counts whole seconds,
 * so its last second may end after its window has. `t` stays within the window; `Retry-After` is exact.
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
