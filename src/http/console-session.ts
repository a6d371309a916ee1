import { Hono, type Context } from "hono";
import { readSmallBody } from "../mcp/body.ts";
import { isObject } from "../domain/json.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { isOwnOrigin } from "../domain/servers/own-origin.ts";

import type { OpenConsoleSession } from "../pipeline/people/console-sessions.ts";
import { askedAt, type HttpEnv } from "./context.ts";
import { problem } from "./problem.ts";
import { forgetSession, keepSession, mayKeepSession, sessionTokenOf } from "./session-cookie.ts";
import { sessionOf } from "./session-guard.ts";

const needsTls: Refusal = {
  reason: "forbidden",
  action:
    "signing in over plain http, which others can read: open the console over https, or on localhost through a tunnel",
};
const maxKeyCharacters = 1_000;
/** A key with every character escaped. Unauthenticated, so no more is read. */
const maxBodyBytes = 8 * 1024;

export const shownSession = ({
  actor,
  role,
  name,
  tenant,
  csrf,
  expiresAt,
}: OpenConsoleSession) => ({
  csrf,
  actor: {
    kind: actor.kind,
    role,
    ...(tenant !== null && { tenant }),
    ...(name !== null && { name }),
    // Key names are not unique; the id detects another key.
    ...(actor.kind === "key" && { id: actor.keyId }),
  },
  expiresAt,
});

async function keyIn(c: Context<HttpEnv>): Promise<Result<string, Refusal>> {
  const type = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  // A foreign page can send a form without CORS, but not JSON.
  if (type !== "application/json")
    return err({ reason: "unsupported_media_type", expected: "application/json" });
  const bytes = await readSmallBody(c.req.raw, maxBodyBytes);
  if (!bytes.ok) return bytes;
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.value));
  } catch {
    return err({ reason: "bad_request", detail: "The body is JSON in UTF-8." });
  }
  const { key, ...unknown } = isObject(body) ? body : {};
  const [surplus] = Object.keys(unknown);
  if (surplus !== undefined)
    return err({ reason: "invalid_params", path: surplus.slice(0, 200), detail: "Unknown key." });
  return typeof key === "string" && key.length > 0 && key.length <= maxKeyCharacters
    ? ok(key)
    : err({
        reason: "invalid_params",
        path: "key",
        detail: "The operator's token, or an API key with a role on the admin API.",
      });
}

async function signIn(c: Context<HttpEnv>): Promise<Response> {
  const origin = c.req.header("Origin");
  // Otherwise a foreign page could sign a person in under another identity.
  if (origin !== undefined && !isOwnOrigin(origin, askedAt(c)))
    return problem(c, { reason: "origin_not_allowed" });
  if (!mayKeepSession(c)) return problem(c, needsTls);
  const key = await keyIn(c);
  if (!key.ok) return problem(c, key.error);
  // The key names its tenant's database.
  const { consoleSessions } = c.env.servicesFor(key.value).console;
  const address = c.env.address?.() ?? "";
  const signedIn = await consoleSessions.signIn({ key: key.value, address });
  if (!signedIn.ok) return problem(c, signedIn.error);
  await endBefore(c);
  const { token, seconds, session } = signedIn.value;
  keepSession(c, token, seconds);
  return c.json(shownSession(session));
}

/** Ends the browser's previous session. */
export async function endBefore(c: Context<HttpEnv>): Promise<void> {
  const token = sessionTokenOf(c);
  if (token === null) return;
  const { consoleSessions } = c.env.servicesFor(token).console;
  const before = await consoleSessions.find(token);
  if (before.ok) await consoleSessions.end(before.value);
}

export const consoleSessionRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .use(async (c, next) => {
      await next();
      c.res.headers.set("Cache-Control", "no-store");
    })
    .post("/", signIn)
    .get("/", async (c) => {
      const session = await sessionOf(c, c.get("services").console);
      return session.ok ? c.json(shownSession(session.value)) : problem(c, session.error);
    })
    .delete("/", async (c) => {
      const { console } = c.get("services");
      const session = await sessionOf(c, console);
      if (!session.ok) return problem(c, session.error);
      const ended = await console.consoleSessions.end(session.value);
      if (!ended.ok) return problem(c, ended.error);
      forgetSession(c);
      return c.body(null, 204);
    });
