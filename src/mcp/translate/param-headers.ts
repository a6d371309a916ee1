/**
 * `Mcp-Param-*` repeats arguments for intermediaries, as `x-mcp-header` in the tool's input schema says
 * (SEP-2243).
 */
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import type { ParamHeader } from "../../domain/tenancy/session.ts";
import { headerText } from "../rev2026/headers.ts";

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types = new Set<unknown>(["string", "integer", "boolean"]);
const maxDepth = 32;

function headersIn(schema: JsonValue | undefined, path: readonly string[]): ParamHeader[] {
  const name = own(schema, "x-mcp-header");
  const isOne =
    typeof name === "string" &&
    token.test(name) &&
    types.has(own(schema, "type")) &&
    path.length > 0;
  const properties = own(schema, "properties");
  const below =
    isObject(properties) && path.length < maxDepth
      ? Object.entries(properties).flatMap(([key, child]) => headersIn(child, [...path, key]))
      : [];
  return isOne ? [{ name, path }, ...below] : below;
}

/** By tool, from a `tools/list` result. */
export function paramHeadersIn(result: unknown): Record<string, ParamHeader[]> {
  const tools = own(result, "tools");
  const found = (Array.isArray(tools) ? tools : []).flatMap((tool): [string, ParamHeader[]][] => {
    const name = own(tool, "name");
    const headers = headersIn(own(tool, "inputSchema"), []);
    return typeof name === "string" && headers.length > 0 ? [[name, headers]] : [];
  });
  return Object.fromEntries(found);
}

/** Absent and structured arguments have no header. */
export function paramHeadersOf(
  declared: readonly ParamHeader[],
  params: JsonObject,
): [name: string, value: string][] {
  return declared.flatMap(({ name, path }): [string, string][] => {
    const value = path.reduce<JsonValue | undefined>(
      (at, key) => own(at, key),
      params["arguments"],
    );
    const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
    const isPlain =
      typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
    return isPlain ? [[`Mcp-Param-${name}`, headerText(text)]] : [];
  });
}
