/** A refusal where the surface is REST: application/problem+json, RFC 9457. */
import type { Context } from "hono";
import { dataOf, explain, refusalTable, type Refusal } from "../domain/refusals.ts";
import type { HttpEnv } from "./context.ts";
import { limitHeaders } from "./limit-headers.ts";

/** RFC 9110, section 15.5.6: a 405 says which methods there are. */
export const allowHeader = (refusal: Refusal): Record<string, string> =>
  refusal.reason === "method_not_allowed" ? { Allow: refusal.allow } : {};

export function problem(c: Context<HttpEnv>, refusal: Refusal): Response {
  const { status, title } = refusalTable[refusal.reason];
  return new Response(
    JSON.stringify({
      type: `urn:sampling-router:refusal:${refusal.reason}`,
      title,
      status,
      detail: explain(refusal),
      ...dataOf(refusal),
      requestId: c.get("requestId"),
    }),
    {
      status,
      headers: {
        "Content-Type": "application/problem+json",
        "X-Request-Id": c.get("requestId"),
        ...limitHeaders([], refusal),
        ...allowHeader(refusal),
        ...(status === 401 ? { "WWW-Authenticate": 'Bearer realm="sampling-router"' } : {}),
      },
    },
  );
}
