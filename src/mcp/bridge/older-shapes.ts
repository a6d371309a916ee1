/**
 * Results of a 2026-07-28 server in shapes that an older client takes: there an output schema, and what a
 * tool answers by it, is an object (2025-11-25, `Tool.outputSchema`, `CallToolResult.structuredContent`).
 * Wrapped as the official SDK's server does for such clients. Changed as text.
 */
import { isObject, own, parsedJson, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { objectText, textAt, textsIn } from "../proxy/json-parts.ts";
import { mapElements, membersOf, whole, withMember } from "../proxy/raw-json.ts";
import { isObjectSchema, movedSchema } from "./schema-refs.ts";

/** By tool: whether its output is wrapped for an older client. */
export type WrappedOutputs = Readonly<Record<string, boolean>>;

/** Of the tools in a `tools/list` result that have an output schema. */
export function wrappedOutputsIn(result: unknown): Record<string, boolean> {
  const tools = own(result, "tools");
  return Object.fromEntries(
    (Array.isArray(tools) ? tools : []).flatMap((tool): [string, boolean][] => {
      const [name, schema] = [own(tool, "name"), own(tool, "outputSchema")];
      return typeof name === "string" && isObject(schema) ? [[name, !isObjectSchema(schema)]] : [];
    }),
  );
}

/** An older revision wants an object for each property, and JSON Schema says what the two others mean. */
const propertySchema = (text: string): string => {
  if (text === "true") return "{}";
  return text === "false" ? '{"not":{}}' : text;
};

function withObjectProperties(schema: string): string {
  const properties = textAt(schema, ["properties"]);
  if (properties === null || !properties.startsWith("{")) return schema;
  const values = membersOf(properties, whole(properties)).map(({ value }) =>
    properties.slice(value.start, value.end),
  );
  if (values.every((value) => propertySchema(value) === value)) return schema;
  const changed = [...textsIn(properties, [])].map(([name, value]): [string, string] => [
    name,
    propertySchema(value),
  ]);
  return withMember(schema, ["properties"], objectText(changed));
}

function wrappedSchema(text: string): string {
  const dialect = textAt(text, ["$schema"]);
  return objectText([
    // Whoever validates looks for the dialect at the root.
    ...(dialect?.startsWith('"') === true ? [["$schema", dialect] as const] : []),
    ["type", '"object"'],
    ["properties", `{"result":${movedSchema(text)}}`],
    ["required", '["result"]'],
  ]);
}

function olderTool(tool: string): string {
  let changed = tool;
  for (const name of ["inputSchema", "outputSchema"]) {
    const text = textAt(changed, [name]);
    const schema = text === null ? undefined : parsedJson(text);
    if (text === null || !isObject(schema)) continue;
    const older =
      name === "inputSchema" || isObjectSchema(schema)
        ? withObjectProperties(text)
        : wrappedSchema(text);
    if (older !== text) changed = withMember(changed, [name], older);
  }
  return changed;
}

/** A `tools/list` message for an older client, JSON text. */
export function olderToolList(message: string): string {
  const tools = textAt(message, ["result", "tools"]);
  if (tools === null || !tools.startsWith("[")) return message;
  const changed = mapElements(tools, olderTool);
  return changed === tools ? message : withMember(message, ["result", "tools"], changed);
}

const hasText = (content: JsonValue | undefined): boolean =>
  Array.isArray(content) && content.some((block) => own(block, "type") === "text");

/**
 * A `tools/call` message for an older client, JSON text.
 * @param isWrapped whether the tool's output schema was
 */
export function olderToolAnswer(message: string, result: JsonObject, isWrapped: boolean): string {
  const structured = own(result, "structuredContent");
  if (structured === undefined || (isObject(structured) && !isWrapped)) return message;
  const text = textAt(message, ["result", "structuredContent"]) ?? "null";
  const wrapped = withMember(message, ["result", "structuredContent"], `{"result":${text}}`);
  // A client that reads texts alone would read nothing.
  if (isObject(structured) || hasText(own(result, "content"))) return wrapped;
  const content = textAt(message, ["result", "content"]) ?? "[]";
  const block = JSON.stringify({ type: "text", text });
  const blocks = content.startsWith("[") ? content.slice(1, -1).trim() : "";
  return withMember(
    wrapped,
    ["result", "content"],
    blocks === "" ? `[${block}]` : `[${blocks},${block}]`,
  );
}
