/** Refusals as application/problem+json (RFC 9457). */
import type { Context } from "hono";
import { explain } from "../domain/refusal-messages.ts";
import { dataOf, refusalTable, type Refusal } from "../domain/refusals.ts";
import type { HttpEnv } from "./context.ts";
import { allowHeader, limitHeaders } from "../mcp/refusal-headers.ts";

export const problem = (c: Context<HttpEnv>, refusal: Refusal): Response =>
  problemOf(c.get("requestId"), refusal);

export function problemOf(requestId: string, refusal: Refusal): Response {
  const { status, title } = refusalTable[refusal.reason];
  return new Response(
    JSON.stringify({
      type: `urn:sampling-router:refusal:${refusal.reason}`,
      title,
      status,
      detail: explain(refusal),
      ...dataOf(refusal),
      requestId,
    }),
    {
      status,
      headers: {
        "Content-Type": "application/problem+json",
        "X-Request-Id": requestId,
        ...limitHeaders([], refusal),
        ...allowHeader(refusal),
        ...(status === 401 ? { "WWW-Authenticate": 'Bearer realm="sampling-router"' } : {}),
      },
    },
  );
}
