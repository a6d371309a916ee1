/**
 * Converts results of 2026-07-28 for older clients, as text. In 2025-11-25 `Tool.outputSchema` and
 * `CallToolResult.structuredContent` are objects; others are wrapped as the official SDK does.
 */
import { isObject, own, parsedJson, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { objectText, textAt, textsIn } from "../json-text/parts.ts";
import { mapElements, withMember } from "../json-text/raw-json.ts";
import { isObjectSchema, movedSchema } from "./schema-refs.ts";

export type WrappedOutputs = Readonly<Record<string, boolean>>;

export function wrappedOutputsIn(result: unknown): Record<string, boolean> {
  const tools = own(result, "tools");
  return Object.fromEntries(
    (Array.isArray(tools) ? tools : []).flatMap((tool): [string, boolean][] => {
      const [name, schema] = [own(tool, "name"), own(tool, "outputSchema")];
      return typeof name === "string" && isObject(schema) ? [[name, !isObjectSchema(schema)]] : [];
    }),
  );
}

/** Boolean schemas become the equivalent objects. */
function propertySchema(text: string): string {
  if (text.startsWith("{")) return text;
  return text === "false" ? '{"not":{}}' : "{}";
}

function withPlainProperties(schema: string): string {
  let changed = schema;
  const names = parsedJson(textAt(schema, ["required"]) ?? "[]");
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string"))
    changed = withMember(changed, ["required"], null);
  const properties = textAt(schema, ["properties"]);
  if (properties === null) return changed;
  if (!properties.startsWith("{")) return withMember(changed, ["properties"], null);
  const before = [...textsIn(properties, [])];
  const after = before.map(([name, value]): [string, string] => [name, propertySchema(value)]);
  return after.every(([, value], at) => value === before[at]?.[1])
    ? changed
    : withMember(changed, ["properties"], objectText(after));
}

function wrappedSchema(text: string): string {
  const dialect = textAt(text, ["$schema"]);
  return objectText([
    // Validators expect the dialect at the root.
    ...(dialect?.startsWith('"') === true ? [["$schema", dialect] as const] : []),
    ["type", '"object"'],
    ["properties", `{"result":${movedSchema(text)}}`],
    ["required", '["result"]'],
  ]);
}

function olderTool(tool: string): string {
  // Tasks are not translated.
  let changed = withMember(tool, ["execution"], null);
  for (const name of ["inputSchema", "outputSchema"]) {
    const text = textAt(changed, [name]);
    const schema = text === null ? undefined : parsedJson(text);
    if (text === null || !isObject(schema)) continue;
    const older =
      name === "inputSchema" || isObjectSchema(schema)
        ? withPlainProperties(text)
        : wrappedSchema(text);
    if (older !== text) changed = withMember(changed, [name], older);
  }
  return changed;
}

/** @param message JSON text */
export function olderToolList(message: string): string {
  const tools = textAt(message, ["result", "tools"]);
  if (tools === null || !tools.startsWith("[")) return message;
  const changed = mapElements(tools, olderTool);
  return changed === tools ? message : withMember(message, ["result", "tools"], changed);
}

const hasText = (content: JsonValue | undefined): boolean =>
  Array.isArray(content) && content.some((block) => own(block, "type") === "text");

/** @param message JSON text, @param isWrapped whether the tool's output schema was wrapped */
export function olderToolAnswer(message: string, result: JsonObject, isWrapped: boolean): string {
  const structured = own(result, "structuredContent");
  if (structured === undefined || (isObject(structured) && !isWrapped)) return message;
  const text = textAt(message, ["result", "structuredContent"]) ?? "null";
  const wrapped = withMember(message, ["result", "structuredContent"], `{"result":${text}}`);
  // Adds a text for clients that read only texts.
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

const firstWithAudio = "2025-03-26";
const firstWithLinks = "2025-06-18";

/** Replaces unknown content blocks. JSON text. */
function olderBlock(text: string, revision: string): string {
  const block = parsedJson(text);
  const [type, uri] = [own(block, "type"), own(block, "uri")];
  if (type === "resource_link" && revision < firstWithLinks) {
    const lines = [own(block, "title") ?? own(block, "name"), uri];
    const texts = lines.filter((one) => typeof one === "string");
    return JSON.stringify({ type: "text", text: texts.join(": ") });
  }
  if (type !== "audio" || revision >= firstWithAudio) return text;
  const [data, mimeType] = [own(block, "data") ?? "", own(block, "mimeType") ?? ""];
  return JSON.stringify({
    type: "resource",
    resource: { uri: "audio:inline", mimeType, blob: data },
  });
}

/** JSON text. */
export function olderContent(message: string, revision: string): string {
  if (revision >= firstWithLinks) return message;
  const changeAt = (text: string, path: readonly string[]): string => {
    const content = textAt(text, path);
    if (content === null) return text;
    const change = (block: string): string => olderBlock(block, revision);
    const changed = content.startsWith("[") ? mapElements(content, change) : change(content);
    return changed === content ? text : withMember(text, path, changed);
  };
  const called = changeAt(message, ["result", "content"]);
  const messages = textAt(called, ["result", "messages"]);
  if (messages === null || !messages.startsWith("[")) return called;
  const prompted = mapElements(messages, (one) => changeAt(one, ["content"]));
  return prompted === messages ? called : withMember(called, ["result", "messages"], prompted);
}
