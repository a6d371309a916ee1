/** `Mcp-Name` repeats a name from the body for intermediaries (SEP-2243). */
import { own, type JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";

const named: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  // SEP-2663, "Streamable HTTP: Routing Headers".
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

const encoded = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

function decoded(value: string): string | null {
  if (!value.startsWith("=?base64?") || !value.endsWith("?=")) return value;
  const base64 = encoded.exec(value)?.[1];
  if (base64 === undefined) return null;
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Plain, or Base64 of UTF-8. */
export function headerText(value: string): string {
  const isPlain =
    /^[\t\x20-\x7e]+$/.test(value) && value.trim() === value && !/^=\?base64\?.*\?=$/.test(value);
  if (isPlain) return value;
  const bytes = new TextEncoder().encode(value);
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}?=`;
}

export function nameIn(method: string, params: JsonObject): string | null {
  const member = Object.hasOwn(named, method) ? named[method] : undefined;
  const name = member === undefined ? undefined : own(params, member);
  return typeof name === "string" ? name : null;
}

/** The server rejects other types. */
export function checkName(
  headers: { get(name: string): string | null },
  method: string,
  params: JsonObject,
): Result<null, Refusal> {
  const name = nameIn(method, params);
  if (name === null) return ok(null);
  const header = headers.get("Mcp-Name");
  if (header !== null && decoded(header.trim()) === name) return ok(null);
  return err({ reason: "header_mismatch", header: "Mcp-Name", missing: header === null });
}
