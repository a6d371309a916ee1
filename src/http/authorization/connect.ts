import { Hono, type Context } from "hono";
import type { AsyncResult } from "../../domain/refusals.ts";
import { isOwnOrigin, ownOriginOf } from "../../domain/servers/own-origin.ts";
import type { Connecting } from "../../pipeline/people/consent/person-connections.ts";
import { askedAt, ownUrlAt, type HttpEnv } from "../context.ts";
import { problem } from "../problem.ts";
import { beginSignIn, isSlug, signInShown, tokenOf } from "./account.ts";
import { showRedirect, noPlace, page } from "./provider-redirect.ts";
import { connectOwnPage, type ConnectPlace } from "./connect-page.ts";
import { formOf } from "./form.ts";

const noServer = { reason: "not_found", what: "no such server" } as const;

function placeIn(c: Context<HttpEnv>): ConnectPlace | null {
  const { tenant = "", server = "" } = c.req.query();
  return isSlug(tenant) && isSlug(server) ? { tenant, server } : null;
}

async function shown(
  c: Context<HttpEnv>,
  place: ConnectPlace,
  wrong: string | null,
): Promise<Response> {
  const { sessions } = c.get("services").oauth.people;
  const session = await sessions.find(tokenOf(c, ownOriginOf(askedAt(c))), place.tenant);
  if (!session.ok) return problem(c, session.error);
  return session.value === null
    ? signInShown(c, place, wrong)
    : page(c, connectOwnPage(place, session.value.once, wrong), wrong === null ? 200 : 403);
}

async function look(c: Context<HttpEnv>): Promise<Response> {
  const place = placeIn(c);
  if (place === null) return problem(c, noServer);
  return shown(c, place, null);
}

async function submit(c: Context<HttpEnv>): Promise<Response> {
  const place = placeIn(c);
  const origin = ownOriginOf(askedAt(c));
  if (place === null) return problem(c, noServer);
  // Same-origin only: another site's form could connect the account of its author.
  if (!isOwnOrigin(c.req.header("Origin") ?? "", askedAt(c)))
    return problem(c, { reason: "origin_not_allowed" });
  if (origin === null) return problem(c, noPlace);
  const form = await formOf(c);
  if (!form.ok) return problem(c, form.error);
  const { fields } = form.value;
  if (fields.get("decision") === "sign-in") return beginSignIn(c, place, origin);
  const connecting = await connectingBy(c, { place, origin, fields });
  if (!connecting.ok) return problem(c, connecting.error);
  const { value } = connecting;
  if (value === null) return shown(c, place, "This page was used already, or you were signed out.");
  return value.kind === "provider"
    ? showRedirect(c, { origin, redirect: value })
    : shown(c, place, value.detail);
}

function connectingBy(
  c: Context<HttpEnv>,
  { place, origin, fields }: { place: ConnectPlace; origin: string; fields: URLSearchParams },
): AsyncResult<Connecting | null> {
  const { people, connections } = c.get("services").oauth;
  const once = fields.get("once");
  const ownUrl = ownUrlAt(c) ?? origin;
  if (once !== null) return people.connect({ ...place, token: tokenOf(c, origin), once, ownUrl });
  const key = (fields.get("key") ?? "").trim();
  return connections.byKey({ ...place, key, address: c.env.address?.() ?? "", ownUrl });
}

export const connectRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>().get("/connect", look).post("/connect", submit);
