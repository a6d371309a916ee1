import type { Context } from "hono";
import { ownUrlUnknown } from "../../domain/refusals.ts";
import type { ProviderRedirect } from "../../pipeline/people/consent/person-connections.ts";
import type { HttpEnv } from "../context.ts";
import { problem } from "../problem.ts";
import { keepCookie } from "../session-cookie.ts";
import { redirectPage } from "./connect-page.ts";
import { protect } from "./form.ts";

export const noPlace = ownUrlUnknown("connecting an account");

export function page(c: Context<HttpEnv>, text: string, status: 200 | 403 = 200): Response {
  protect(c.res.headers, c.req.url);
  return c.html(text, status);
}

/** The cookie proves that the same browser comes back. */
export function showRedirect(
  c: Context<HttpEnv>,
  { origin, redirect }: { origin: string; redirect: ProviderRedirect },
): Response {
  const { browser: value, seconds } = redirect;
  if (!keepCookie(c, "connect", { origin, value, seconds })) return problem(c, noPlace);
  return page(c, redirectPage(redirect));
}
