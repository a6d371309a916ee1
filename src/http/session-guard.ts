/** Authenticates console sessions and rejects cross-site calls. */
import type { Context } from "hono";
import { isOwnOrigin } from "../domain/servers/own-origin.ts";
import type { AsyncResult, Refusal } from "../domain/refusals.ts";
import { err, ok } from "../domain/result.ts";
import type { ConsoleSessions, OpenConsoleSession } from "../pipeline/people/console-sessions.ts";
import { askedAt, type HttpEnv } from "./context.ts";
import { sessionTokenOf } from "./session-cookie.ts";

const csrfHeader = "X-CSRF-Token";
const reads = new Set(["GET", "HEAD"]);

const noCookie: Refusal = { reason: "unauthorized", detail: "There is no session. Sign in." };

async function foreignCall(
  c: Context<HttpEnv>,
  { csrf }: OpenConsoleSession,
  isSame: (one: string, other: string) => Promise<boolean>,
): Promise<Refusal | null> {
  const origin = c.req.header("Origin");
  const isRead = reads.has(c.req.method);
  // Browsers omit `Origin` in some reads, but never in changes.
  const isOwn = origin === undefined ? isRead : isOwnOrigin(origin, askedAt(c));
  if (!isOwn) return { reason: "origin_not_allowed" };
  if (isRead || (await isSame(c.req.header(csrfHeader) ?? "", csrf))) return null;
  return { reason: "forbidden", action: `a change needs ${csrfHeader}, the session's csrf` };
}

export async function sessionOf(
  c: Context<HttpEnv>,
  deps: {
    consoleSessions: Pick<ConsoleSessions, "find">;
    isSame: (one: string, other: string) => Promise<boolean>;
  },
): AsyncResult<OpenConsoleSession> {
  const token = sessionTokenOf(c);
  if (token === null) return err(noCookie);
  const found = await deps.consoleSessions.find(token);
  if (!found.ok) return found;
  const foreign = await foreignCall(c, found.value, deps.isSame);
  return foreign === null ? ok(found.value) : err(foreign);
}
