/** What pages with a form have in common: how much is read of the form, and what protects the page. */
import type { Context } from "hono";
import { readBounded } from "../../domain/bounded-body.ts";
import type { HttpEnv } from "../context.ts";

export const mostBytes = 64 * 1024;

/** As text; null: too long. */
export async function bodyText(c: Context<HttpEnv>): Promise<string | null> {
  const bytes = await readBounded(c.req.raw.body, mostBytes);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

/** @param target where the form's answer may lead: browsers ask the page's policy for redirects too */
export function protect(headers: Headers, target: string | null): void {
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
