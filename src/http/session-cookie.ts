import type { Context } from "hono";
import { generateCookie, getCookie } from "hono/cookie";
import { isOwnMachine } from "../domain/servers/own-origin.ts";
import type { HttpEnv } from "./context.ts";

type Kept = "session" | "sign_in" | "connect" | "person" | "person_sign_in";

/** Prevents cookies planted by sibling domains (RFC 6265bis, section 4.1.3.2). */
const secureNameOf = (of: Kept): string => `__Host-sr_${of}`;
const secureName = secureNameOf("session");

/** Not every browser accepts `Secure` over plain http. Cookies ignore ports, so the name contains it. */
const plainNameOf = (of: Kept, { port }: URL): string => `sr_${of}_${port === "" ? "80" : port}`;
const plainName = (url: URL): string => plainNameOf("session", url);

const isOwnMachineByHttp = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && isOwnMachine(hostname);

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

/** `null` over an insecure connection. `Origin` shows the browser's scheme even behind a proxy. */
function placeOf(c: Context<HttpEnv>): Place | null {
  const asked = new URL(c.req.url);
  const from = URL.parse(c.req.header("Origin") ?? asked.origin);
  if (from?.protocol === "https:") return { name: secureName, secure: true };
  return from !== null && isOwnMachineByHttp(from)
    ? { name: plainName(asked), secure: false }
    : null;
}

/**
 * Hono's `setCookie` is lost if the handler returns its own response.
 * @param seconds 0 deletes the cookie
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

/** `Strict` cookies are not sent on return from an identity provider. CSRF token and `Origin` protect changes. */
export function keepSession(c: Context<HttpEnv>, token: string, seconds: number): void {
  const place = placeOf(c);
  if (place !== null) send(c, place, { value: token, seconds });
}

export function forgetSession(c: Context<HttpEnv>): void {
  const place = placeOf(c);
  if (place !== null) send(c, place, forgotten);
}

/** `null` if insecure there. */
function placeAt(c: Context<HttpEnv>, of: Kept, origin: string): Place | null {
  const from = new URL(origin);
  if (from.protocol === "https:") return { name: secureNameOf(of), secure: true };
  return isOwnMachineByHttp(from)
    ? { name: plainNameOf(of, new URL(c.req.url)), secure: false }
    : null;
}

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

export function cookieOf(c: Context<HttpEnv>, of: Kept, origin: string): string | null {
  const place = placeAt(c, of, origin);
  return place === null ? null : (getCookie(c, place.name) ?? null);
}

export function takeCookie(c: Context<HttpEnv>, of: Kept, origin: string): string | null {
  const value = cookieOf(c, of, origin);
  const place = placeAt(c, of, origin);
  if (place !== null && value !== null) send(c, place, forgotten);
  return value;
}
