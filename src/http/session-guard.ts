/** Who calls by the cookie of a console session, and whether the call is the console's own. */
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

/** Why a page's call is not the console's own; null: it is. */
async function foreignCall(
  c: Context<HttpEnv>,
  { csrf }: OpenConsoleSession,
  isSame: (one: string, other: string) => Promise<boolean>,
): Promise<Refusal | null> {
  const origin = c.req.header("Origin");
  const isRead = reads.has(c.req.method);
  // A browser says `Origin` with every change, but not with every read.
  const isOwn = origin === undefined ? isRead : isOwnOrigin(origin, askedAt(c));
  if (!isOwn) return { reason: "origin_not_allowed" };
  if (isRead || (await isSame(c.req.header(csrfHeader) ?? "", csrf))) return null;
  return { reason: "forbidden", action: `a change needs ${csrfHeader}, the session's csrf` };
}

/** The session of the request's cookie. */
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
