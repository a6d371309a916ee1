/** The cookie that stands for a session of the console. */
import type { Context } from "hono";
import { generateCookie, getCookie } from "hono/cookie";
import { isOwnMachine } from "../domain/servers/own-origin.ts";
import type { HttpEnv } from "./context.ts";

/**
 * What cookies hold: a session of the console, or a try to sign in there, or to connect an account at a server; a
 * session of a person on their own pages, or a try to sign in there.
 */
type Kept = "session" | "sign_in" | "connect" | "person" | "person_sign_in";

/**
 * Browsers take a cookie of that beginning only over https, for this host alone and for all of its paths, so no
 * sibling domain can plant one. Source: RFC 6265bis, section 4.1.3.2.
 */
const secureNameOf = (of: Kept): string => `__Host-sr_${of}`;
const secureName = secureNameOf("session");

/**
 * On one's own machine, over http, Chromium 147 takes that beginning too, but not every browser takes a `Secure`
 * cookie there. Cookies know no ports, so the name says the port: two routers do not end each other's sessions.
 */
const plainNameOf = (of: Kept, { port }: URL): string => `sr_${of}_${port === "" ? "80" : port}`;
const plainName = (url: URL): string => plainNameOf("session", url);

const isOwnMachineByHttp = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && isOwnMachine(hostname);

/** The token in the request's cookie; null: there is none. */
export function sessionTokenOf(c: Context<HttpEnv>): string | null {
  if (c.req.header("Cookie") === undefined) return null;
  const url = new URL(c.req.url);
  const secure = getCookie(c, secureName);
  return secure ?? (isOwnMachineByHttp(url) ? (getCookie(c, plainName(url)) ?? null) : null);
}

interface Place {
  name: string;
  secure: boolean;
}

/**
 * How the browser is to keep the cookie; null: over a connection that others can read, it must not get one. A page
 * says in `Origin` how it came, also where a proxy speaks plain http with the router.
 */
function placeOf(c: Context<HttpEnv>): Place | null {
  const asked = new URL(c.req.url);
  const from = URL.parse(c.req.header("Origin") ?? asked.origin);
  if (from?.protocol === "https:") return { name: secureName, secure: true };
  return from !== null && isOwnMachineByHttp(from)
    ? { name: plainName(asked), secure: false }
    : null;
}

/**
 * Sends a cookie with the answer, whatever the answer is. On `c.res`, which joins any response that a handler returns:
 * what `setCookie` of Hono prepares is lost beside a response that the handler made by itself, as refusals are made.
 * @param seconds 0: the browser forgets the cookie
 */
function send(
  c: Context<HttpEnv>,
  { name, secure }: Place,
  { value, seconds }: { value: string; seconds: number },
): void {
  const about = { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge: seconds } as const;
  c.res.headers.append("Set-Cookie", generateCookie(name, value, about));
}
const forgotten = { value: "", seconds: 0 };

export const mayKeepSession = (c: Context<HttpEnv>): boolean => placeOf(c) !== null;

/**
 * `Lax`, since a browser that comes back from an identity provider would not send a `Strict` one. What changes
 * something is guarded by the CSRF token and `Origin`.
 */
export function keepSession(c: Context<HttpEnv>, token: string, seconds: number): void {
  const place = placeOf(c);
  if (place !== null) send(c, place, { value: token, seconds });
}

export function forgetSession(c: Context<HttpEnv>): void {
  const place = placeOf(c);
  if (place !== null) send(c, place, forgotten);
}

/** How a browser has the cookie at the router's own origin; null: others could read it there. */
function placeAt(c: Context<HttpEnv>, of: Kept, origin: string): Place | null {
  const from = new URL(origin);
  if (from.protocol === "https:") return { name: secureNameOf(of), secure: true };
  return isOwnMachineByHttp(from)
    ? { name: plainNameOf(of, new URL(c.req.url)), secure: false }
    : null;
}

/** Keeps a cookie for a browser that says no `Origin`, since it came by a link. false: it must not get one. */
export function keepCookie(
  c: Context<HttpEnv>,
  of: Kept,
  { origin, value, seconds }: { origin: string; value: string; seconds: number },
): boolean {
  const place = placeAt(c, of, origin);
  if (place === null) return false;
  send(c, place, { value, seconds });
  return true;
}

/** The cookie's value, which the browser keeps; null: there is none. */
export function cookieOf(c: Context<HttpEnv>, of: Kept, origin: string): string | null {
  const place = placeAt(c, of, origin);
  return place === null ? null : (getCookie(c, place.name) ?? null);
}

/** The cookie's value, which the browser forgets; null: there is none. */
export function takeCookie(c: Context<HttpEnv>, of: Kept, origin: string): string | null {
  const value = cookieOf(c, of, origin);
  const place = placeAt(c, of, origin);
  if (place !== null && value !== null) send(c, place, forgotten);
  return value;
}
