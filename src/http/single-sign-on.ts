import { Hono, type Context } from "hono";
import { isOwnOrigin, ownOriginOf } from "../domain/servers/own-origin.ts";
import { ownUrlUnknown, type Refusal } from "../domain/refusals.ts";
import { trialPrefix } from "../domain/tenancy/sign-in.ts";
import type { NewConsoleSession } from "../pipeline/people/console-sessions.ts";
import { pendingMs, slugKept } from "../pipeline/people/person-sign-in.ts";
import { endBefore } from "./console-session.ts";
import { askedAt, ownUrlAt, type HttpEnv } from "./context.ts";
import { problem } from "./problem.ts";
import { keepCookie, takeCookie } from "./session-cookie.ts";

const noPlace = ownUrlUnknown("signing in");

export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const maxAssertionCharacters = 16_384;

const urlFor = (c: Context<HttpEnv>): string => ownUrlAt(c) ?? "";
const callbackFor = (c: Context<HttpEnv>): string => `${urlFor(c)}/console/single-sign-on/callback`;
const addressOf = (c: Context<HttpEnv>): string => c.env.address?.() ?? "";

/** Always a new session, so that none can be planted. @returns the console's address, never one from the request */
async function enter(
  c: Context<HttpEnv>,
  origin: string,
  made: NewConsoleSession,
): Promise<string> {
  await endBefore(c);
  keepCookie(c, "session", { origin, value: made.token, seconds: made.seconds });
  return `${urlFor(c)}/console`;
}

async function begin(c: Context<HttpEnv>): Promise<Response> {
  const origin = ownOriginOf(askedAt(c));
  if (origin === null) return problem(c, noPlace);
  // Same-origin only: another site could sign this browser in as its author.
  if (!isOwnOrigin(c.req.header("Origin") ?? "", askedAt(c)))
    return problem(c, { reason: "origin_not_allowed" });
  const slug = c.req.query("tenant") ?? null;
  if (slug !== null && !slugPattern.test(slug))
    return problem(c, { reason: "invalid_params", path: "tenant", detail: "A tenant's slug." });
  const assertion = c.req.header("Cf-Access-Jwt-Assertion") ?? null;
  const signIn = await c.get("services").console.personSignInOf(slug);
  if (!signIn.ok) return problem(c, signIn.error);
  const begun = await signIn.value.begin({
    slug,
    redirectUri: callbackFor(c),
    assertion: assertion?.slice(0, maxAssertionCharacters + 1) ?? null,
    address: addressOf(c),
  });
  if (!begun.ok) return problem(c, begun.error);
  if ("session" in begun.value) return c.json({ url: await enter(c, origin, begun.value.session) });
  const { url, kept } = begun.value;
  if (!keepCookie(c, "sign_in", { origin, value: kept, seconds: pendingMs / 1_000 }))
    return problem(c, noPlace);
  return c.json({ url });
}

async function callback(c: Context<HttpEnv>): Promise<Response> {
  const origin = ownOriginOf(askedAt(c));
  if (origin === null) return problem(c, noPlace);
  const { searchParams } = new URL(c.req.url);
  // Hands the answer to the page that tries the settings.
  if (searchParams.get("state")?.startsWith(trialPrefix) === true)
    return c.redirect(`${urlFor(c)}/console/tried?${searchParams}`);
  // Single use.
  const kept = takeCookie(c, "sign_in", origin) ?? "";
  const slug = slugKept(kept);
  const signIn = await c.get("services").console.personSignInOf(slug);
  if (!signIn.ok) return refused(c, { refusal: signIn.error, slug });
  const made = await signIn.value.finish({
    kept,
    redirectUri: callbackFor(c),
    query: searchParams.toString(),
    address: addressOf(c),
  });
  return made.ok
    ? c.redirect(await enter(c, origin, made.value))
    : refused(c, { refusal: made.error, slug });
}

function refused(
  c: Context<HttpEnv>,
  { refusal, slug }: { refusal: Refusal; slug: string | null },
) {
  const origin = ownOriginOf(askedAt(c));
  const isPerson = c.req.header("Accept")?.includes("text/html") === true;
  if (origin === null || !isPerson) return problem(c, refusal);
  const query = new URLSearchParams({ "sign-in": refusal.reason });
  if (slug !== null) query.set("tenant", slug);
  return c.redirect(`${urlFor(c)}/console?${query}`);
}

export const singleSignOnRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .use(async (c, next) => {
      await next();
      // The address contains a code.
      c.res.headers.set("Cache-Control", "no-store");
      c.res.headers.set("Referrer-Policy", "no-referrer");
    })
    .post("/", begin)
    .get("/callback", callback);
