/** Enough of a passed request to choose a model and to reserve. Unknown members count as text. */
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import type { PassingNeeds } from "../../domain/requirements.ts";
import type { Block, Message, SamplingCall, Tool } from "../../domain/sampling/call.ts";
import { imageFrom, neutral } from "./decoded.ts";

/** No context is longer; a reservation takes what the model's context leaves. */
const anyTokens = 10_000_000;
/** Sealed reasoning is base64 of a little more than its text. */
const charactersPerOpaqueToken = 4;
/** A dense page of a packed document has about 3,000 tokens in 20 kB of base64. */
const charactersPerDocumentToken = 6;

interface Found {
  blocks: Block[];
  opaqueTokens: number;
  unmeasuredTokens: number;
  isCached: boolean;
  isCachedForAnHour: boolean;
  marks: string[];
}

/** Members whose text no model reads. */
const unread: ReadonlySet<string> = new Set(["type", "id", "role", "signature", "media_type"]);
const opaque: ReadonlySet<string> = new Set(["encrypted_content", "encrypted_index"]);
const files: ReadonlySet<string> = new Set(["file_id", "file_url"]);

/** An image of unknown size, which counts as the largest. */
const unseenImage = { type: "image", data: "", mimeType: "image/*" } as const;

const isText = (value: JsonValue | undefined): value is string => typeof value === "string";

function readMedia(part: JsonObject, found: Found): boolean {
  const { type } = part;
  const source = own(part, "source");
  const data = own(source, "data");
  if (type === "image") {
    const mimeType = own(source, "media_type");
    const isInline = isText(data) && isText(mimeType);
    found.blocks.push(isInline ? { type: "image", data, mimeType } : unseenImage);
    if (own(source, "file_id") !== undefined) found.unmeasuredTokens = anyTokens;
    return true;
  }
  if (type === "image_url" || type === "input_image") {
    const url = own(part["image_url"], "url") ?? part["image_url"];
    found.blocks.push((isText(url) ? imageFrom(url) : null) ?? unseenImage);
    return true;
  }
  if (type === "input_audio") {
    const audio = own(part, "input_audio");
    const [sent, format] = [own(audio, "data"), own(audio, "format")];
    if (!isText(sent) || !isText(format)) return false;
    found.blocks.push({ type: "audio", data: sent, mimeType: `audio/${format}` });
    return true;
  }
  const file = data ?? own(part, "file_data") ?? own(own(part, "file"), "file_data");
  const isFile = type === "document" || type === "input_file" || type === "file";
  if (!isFile || !isText(file) || own(source, "type") === "text") return false;
  found.unmeasuredTokens += Math.ceil(file.length / charactersPerDocumentToken);
  return true;
}

function readMark(mark: JsonValue, found: Found): void {
  found.isCached = true;
  if (own(mark, "ttl") === "1h") found.isCachedForAnHour = true;
}

function readOpaque(sealed: JsonValue, found: Found): void {
  if (!isText(sealed)) return;
  found.marks.push(sealed);
  found.opaqueTokens += Math.ceil(sealed.length / charactersPerOpaqueToken);
}

/** Collects what a value holds. Without recursion, since a body may nest as deeply as it likes. */
function read(value: JsonValue | undefined, found: Found): void {
  const open: JsonValue[] = value === undefined ? [] : [value];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (isText(each)) found.blocks.push({ type: "text", text: each });
    else if (Array.isArray(each)) open.push(...each.toReversed());
    else if (isObject(each) && !readMedia(each, found)) {
      const inside: JsonValue[] = [];
      for (const [name, member] of Object.entries(each)) {
        if (name === "cache_control" && isObject(member)) readMark(member, found);
        else if (opaque.has(name) || (name === "data" && each["type"] === "redacted_thinking"))
          readOpaque(member, found);
        else if (name === "signature" && isText(member)) found.marks.push(member);
        // The arguments of a tool may have any names.
        else if (name === "input" && isObject(member))
          found.blocks.push({ type: "text", text: JSON.stringify(member) });
        else if (files.has(name)) found.unmeasuredTokens = anyTokens;
        else if (!unread.has(name)) inside.push(member);
      }
      open.push(...inside.toReversed());
    }
  }
}

const nothing = (): Found => ({
  blocks: [],
  opaqueTokens: 0,
  unmeasuredTokens: 0,
  isCached: false,
  isCachedForAnHour: false,
  marks: [],
});

const listed = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

const toolOf = (sent: JsonValue): Tool => {
  const name = own(sent, "name") ?? own(own(sent, "function"), "name") ?? own(sent, "type");
  return { name: isText(name) ? name : "", inputSchema: isObject(sent) ? sent : {} };
};

/** What is stored at the provider is input too. */
const storedInputs = ["previous_response_id", "conversation", "prompt", "container"];

/** What binds a request to the account whose answers it holds, the latest last. */
export function marksIn(body: JsonObject): string[] {
  const found = nothing();
  for (const name of ["messages", "input"]) read(body[name], found);
  const stored = body["previous_response_id"];
  return isText(stored) ? [...found.marks, stored] : found.marks;
}

/** Needs of a request that its call doesn't express. `losses`: members that only its own wire has. */
export function passingNeedsOf(
  body: JsonObject,
  losses: string[],
  surcharges: Pick<PassingNeeds, "surcharge" | "prices"> = {},
): PassingNeeds | null {
  const found = nothing();
  for (const name of ["messages", "input", "system"]) read(body[name], found);
  for (const marked of [body, ...listed(body["tools"])]) {
    const mark = own(marked, "cache_control");
    if (isObject(mark)) readMark(mark, found);
  }
  const isStored = storedInputs.some((name) => (body[name] ?? null) !== null);
  const unmeasuredTokens = isStored ? anyTokens : Math.min(anyTokens, found.unmeasuredTokens);
  const answers = body["n"];
  const budget = own(body["thinking"], "budget_tokens");
  const needs: PassingNeeds = {
    losses,
    ...surcharges,
    ...(losses.length > 0 && found.opaqueTokens > 0 && { opaqueTokens: found.opaqueTokens }),
    ...(unmeasuredTokens > 0 && { unmeasuredTokens }),
    ...(typeof answers === "number" && answers > 1 && { answers }),
    ...(typeof budget === "number" && { minTokens: budget + 1 }),
    ...(found.isCached && { cacheWrites: found.isCachedForAnHour ? "hour" : "minutes" }),
  };
  return losses.length > 0 || Object.keys(needs).length > 1 ? needs : null;
}

export function outlineOf(
  body: JsonObject,
): Pick<SamplingCall, "messages" | "tools" | "systemPrompt"> & typeof neutral {
  const system = nothing();
  for (const name of ["system", "instructions"]) read(body[name], system);
  const sent = body["messages"] ?? body["input"] ?? [];
  const messages = (Array.isArray(sent) ? sent : [sent]).map((each): Message => {
    const found = nothing();
    read(each, found);
    const isAssistant = own(each, "role") === "assistant";
    return { role: isAssistant ? "assistant" : "user", content: found.blocks };
  });
  const systemPrompt = system.blocks
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("\n");
  return {
    ...neutral,
    messages,
    tools: listed(body["tools"]).map(toolOf),
    ...(systemPrompt !== "" && { systemPrompt }),
  };
}
