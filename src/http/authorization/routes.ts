import { Hono, type Context } from "hono";
import type { ConsentFault } from "../../domain/ports/authorization-server.ts";
import type {
  ConsentPrompt,
  ConsentOutcome,
} from "../../pipeline/people/consent/consent-grants.ts";
import type { Result } from "../../domain/result.ts";
import { ownOriginOf } from "../../domain/servers/own-origin.ts";
import { isLoopback } from "../../domain/servers/upstreams.ts";
import type { ProviderRedirect } from "../../pipeline/people/consent/person-connections.ts";
import { askedAt, type HttpEnv } from "../context.ts";
import { problem } from "../problem.ts";
import { cameBack } from "./account.ts";
import { showRedirect } from "./provider-redirect.ts";
import { bodyText, formOf, protect } from "./form.ts";
import { consentPage, faultPage, leavingPage, refusedPage } from "./consent-page.ts";

const maxAssertionCharacters = 16_384;
const off = { reason: "not_found", what: "OAuth, which is off here" } as const;

function consentForm(prompt: ConsentPrompt, wrong: string | null): Response {
  const headers = new Headers(prompt.open.headers);
  protect(headers, prompt.open.facts.redirectUri);
  return new Response(consentPage(prompt, wrong), { status: wrong === null ? 200 : 403, headers });
}

const redirectTo = (to: string, headers = new Headers()): Response => {
  headers.set("Location", to);
  headers.set("Cache-Control", "no-store");
  headers.set("Referrer-Policy", "no-referrer");
  return new Response(null, { status: 302, headers });
};

function failed(c: Context<HttpEnv>, fault: ConsentFault): Response {
  if (fault.kind === "refusal") return problem(c, fault.refusal);
  // Shown instead of redirecting: registration is open, so a link to the router could lead to any site.
  if (fault.kind === "redirect" && isLoopback(new URL(fault.to).hostname))
    return redirectTo(fault.to);
  const headers = new Headers();
  protect(headers, null);
  const text = fault.kind === "page" ? faultPage(fault.detail) : refusedPage(fault.to);
  return new Response(text, { status: 400, headers });
}

function decided(c: Context<HttpEnv>, result: Result<ConsentOutcome, ConsentFault>): Response {
  if (!result.ok) return failed(c, result.error);
  const { value } = result;
  if (value.kind === "redirect") return redirectTo(value.to, value.headers);
  if (value.kind === "connect") return connectRedirect(c, value);
  return value.kind === "sign_in" ? signInRedirect(value) : consentForm(value.prompt, value.detail);
}

function connectRedirect(
  c: Context<HttpEnv>,
  { redirect: provider, headers }: { redirect: ProviderRedirect; headers: Headers },
): Response {
  for (const [name, text] of headers) c.header(name, text, { append: true });
  const origin = ownOriginOf(askedAt(c));
  return origin === null ? problem(c, off) : showRedirect(c, { origin, redirect: provider });
}

function signInRedirect({ to, headers: given }: { to: string; headers: Headers }): Response {
  const headers = new Headers(given);
  protect(headers, null);
  // The address contains the state, which only the provider may see.
  headers.set("Referrer-Policy", "no-referrer");
  return new Response(leavingPage(to), { headers });
}

async function authorize(c: Context<HttpEnv>): Promise<Response> {
  const consents = c.get("services").oauth.consents();
  if (consents === null) return problem(c, off);
  const refused = c.get("services").oauth.consentOpenings(c.env.address?.() ?? "");
  if (refused !== null) return problem(c, refused);
  const open = await consents.open(c.req.raw);
  return open.ok ? consentForm(open.value, null) : failed(c, open.error);
}

async function decide(c: Context<HttpEnv>): Promise<Response> {
  const consents = c.get("services").oauth.consents();
  if (consents === null) return problem(c, off);
  const form = await formOf(c);
  if (!form.ok) return problem(c, form.error);
  const { fields } = form.value;
  const handle = fields.get("handle") ?? "";
  const decision = fields.get("decision");
  if (decision !== "allow" && decision !== "sign-in")
    return decided(c, await consents.deny(c.req.raw, handle));
  const address = c.env.address?.() ?? "";
  if (decision === "sign-in") {
    const sent = c.req.header("Cf-Access-Jwt-Assertion");
    const assertion = sent?.slice(0, maxAssertionCharacters + 1) ?? null;
    return decided(c, await consents.allowBySignIn(c.req.raw, { handle, assertion, address }));
  }
  const given = { handle, key: fields.get("key") ?? "", address };
  return decided(c, await consents.allowByKey(c.req.raw, given));
}

async function signedIn(c: Context<HttpEnv>): Promise<Response> {
  const back = await cameBack(c);
  if (back !== null) return back;
  const consents = c.get("services").oauth.consents();
  if (consents === null) return problem(c, off);
  const address = c.env.address?.() ?? "";
  return decided(c, await consents.finishSignIn(c.req.raw, { address }));
}

async function token(c: Context<HttpEnv>): Promise<Response> {
  const server = c.get("services").oauth.authorizationServer();
  if (server === null) return problem(c, off);
  const form = await formOf(c);
  return form.ok ? server.token(c.req.raw, form.value.text) : problem(c, form.error);
}

async function register(c: Context<HttpEnv>): Promise<Response> {
  const { authorizationServer, registrations } = c.get("services").oauth;
  const server = authorizationServer();
  if (server === null) return problem(c, off);
  const refused = registrations(c.env.address?.() ?? "");
  if (refused !== null) return problem(c, refused);
  const body = await bodyText(c);
  return body.ok ? server.register(c.req.raw, body.value) : problem(c, body.error);
}

export const authorizationRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .get("/authorize", authorize)
    .post("/authorize", decide)
    .get("/sign-in", signedIn)
    .post("/token", token)
    .post("/register", register);
