import { fieldsIn, maxFormBytes } from "../../domain/bounded-form.ts";
import type { Context } from "hono";
import { readSmallBody } from "../../mcp/body.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { mapped, ok, type Result } from "../../domain/result.ts";
import type { HttpEnv } from "../context.ts";

export const bodyText = (c: Context<HttpEnv>): Promise<Result<string, Refusal>> =>
  mapped(readSmallBody(c.req.raw, maxFormBytes), (bytes) => new TextDecoder().decode(bytes));

interface Form {
  text: string;
  fields: URLSearchParams;
}

export async function formOf(c: Context<HttpEnv>): Promise<Result<Form, Refusal>> {
  const text = await bodyText(c);
  if (!text.ok) return text;
  const fields = fieldsIn(text.value);
  return fields.ok ? ok({ text: text.value, fields: fields.value }) : fields;
}

/** @param target allowed redirect target: `form-action` also applies to redirects */
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
  // `no-referrer` would hide the form's `Origin`.
  headers.set("Referrer-Policy", "same-origin");
  headers.set("Content-Type", "text/html; charset=utf-8");
}
