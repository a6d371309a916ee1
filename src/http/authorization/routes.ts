/** The router as an authorization server: `/oauth/authorize`, `/oauth/token`, `/oauth/register`. */
import { Hono, type Context } from "hono";
import type { ConsentFault, OpenConsent } from "../../domain/ports/authorization-server.ts";
import { readBounded } from "../../domain/bounded-body.ts";
import type { Decided } from "../../pipeline/oauth-consents.ts";
import type { Result } from "../../domain/result.ts";
import type { HttpEnv } from "../context.ts";
import { problem } from "../problem.ts";
import { consentPage, faultPage } from "./consent-page.ts";

const mostBytes = 64 * 1024;
const off = { reason: "not_found", what: "OAuth, which is off here" } as const;

/** As text; null: too long. */
async function bodyText(c: Context<HttpEnv>): Promise<string | null> {
  const bytes = await readBounded(c.req.raw.body, mostBytes);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

/** @param target where the form's answer may lead: browsers ask the page's policy for redirects too */
function protect(headers: Headers, target: string | null): void {
  const to = target === null ? "" : ` ${new URL(target).origin}`;
  const form = target === null ? "'none'" : `'self'${to}`;
  headers.set(
    "Content-Security-Policy",
    `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action ${form}; frame-ancestors 'none'`,
  );
  headers.set("X-Frame-Options", "DENY");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Cache-Control", "no-store");
  // The form's own `Origin` is asked for, which `no-referrer` would hide.
  headers.set("Referrer-Policy", "same-origin");
  headers.set("Content-Type", "text/html; charset=utf-8");
}

function shown(open: OpenConsent, wrong: string | null): Response {
  const headers = new Headers(open.headers);
  protect(headers, open.facts.redirectUri);
  return new Response(consentPage(open, wrong), { status: wrong === null ? 200 : 403, headers });
}

const left = (to: string, headers = new Headers()): Response => {
  headers.set("Location", to);
  headers.set("Cache-Control", "no-store");
  headers.set("Referrer-Policy", "no-referrer");
  return new Response(null, { status: 302, headers });
};

function failed(c: Context<HttpEnv>, fault: ConsentFault): Response {
  if (fault.kind === "redirect") return left(fault.to);
  if (fault.kind === "refusal") return problem(c, fault.refusal);
  const headers = new Headers();
  protect(headers, null);
  return new Response(faultPage(fault.detail), { status: 400, headers });
}

function decided(c: Context<HttpEnv>, result: Result<Decided, ConsentFault>): Response {
  if (!result.ok) return failed(c, result.error);
  const { value } = result;
  return value.kind === "redirect"
    ? left(value.to, value.headers)
    : shown(value.open, value.detail);
}

async function authorize(c: Context<HttpEnv>): Promise<Response> {
  const consents = c.get("services").oauth.consents();
  if (consents === null) return problem(c, off);
  const turn = c.get("services").oauth.consentOpenings(c.env.address?.() ?? "");
  if (turn !== null) return problem(c, turn);
  const open = await consents.open(c.req.raw);
  return open.ok ? shown(open.value, null) : failed(c, open.error);
}

async function decide(c: Context<HttpEnv>): Promise<Response> {
  const consents = c.get("services").oauth.consents();
  if (consents === null) return problem(c, off);
  const fields = new URLSearchParams((await bodyText(c)) ?? "");
  const handle = fields.get("handle") ?? "";
  if (fields.get("decision") !== "allow") return decided(c, await consents.deny(c.req.raw, handle));
  const given = { handle, key: fields.get("key") ?? "", address: c.env.address?.() ?? "" };
  return decided(c, await consents.allowByKey(c.req.raw, given));
}

async function token(c: Context<HttpEnv>): Promise<Response> {
  const server = c.get("services").oauth.authorizationServer();
  if (server === null) return problem(c, off);
  const body = await bodyText(c);
  return body === null
    ? problem(c, { reason: "payload_too_large", limitBytes: mostBytes })
    : server.token(c.req.raw, body);
}

async function register(c: Context<HttpEnv>): Promise<Response> {
  const { authorizationServer, registrations } = c.get("services").oauth;
  const server = authorizationServer();
  if (server === null) return problem(c, off);
  const turn = registrations(c.env.address?.() ?? "");
  if (turn !== null) return problem(c, turn);
  const body = await bodyText(c);
  return body === null
    ? problem(c, { reason: "payload_too_large", limitBytes: mostBytes })
    : server.register(c.req.raw, body);
}

export const authorizationRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .get("/authorize", authorize)
    .post("/authorize", decide)
    .post("/token", token)
    .post("/register", register);
