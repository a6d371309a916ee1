import { z } from "@hono/zod-openapi";
import { isObject, own, type JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { efforts } from "../../domain/requirements.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { Block, Message, SamplingCall, TextBlock, Tool } from "../../domain/sampling/call.ts";
import { refusalOfInput } from "../../mcp/invalid-input.ts";

export interface Decoded {
  call: SamplingCall;
  ignored: string[];
  stream?: StreamRequest;
}

export interface StreamRequest {
  includeUsage?: true;
}

export const jsonObject = z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>;

export const textBlocks = (text: string): TextBlock[] =>
  text === "" ? [] : [{ type: "text", text }];

/**
 * A named tool is the only one that the model gets.
 * @param choice the name of a tool, with the member that names it
 */
export function toolsFor(
  tools: Tool[],
  choice: SamplingCall["toolChoice"] | { name: string; path: string },
): Result<Pick<SamplingCall, "tools" | "toolChoice">, Refusal> {
  if (typeof choice !== "object")
    return ok({ tools, ...(choice !== undefined && { toolChoice: choice }) });
  const named = tools.filter(({ name }) => name === choice.name);
  return named.length === 0
    ? refuseMember(choice.path, "No tool has this name.")
    : ok({ tools: named, toolChoice: "required" });
}

/** Clients of OpenAI's endpoints set no limit. It has to be finite, since it is reserved. */
export const defaultMaxTokens = 16_384;

export const refuseMember = (path: string, detail: string): Result<never, Refusal> =>
  err({ reason: "invalid_params", path, detail });

export function parsedBy<T>(schema: z.ZodType<T>, body: JsonObject): Result<T, Refusal> {
  const parsed = schema.safeParse(body);
  return parsed.success ? ok(parsed.data) : err(refusalOfInput(parsed.error));
}

/** Members that no call can carry; each with whether a value of it asks for nothing. */
export type Unsupported = Readonly<Record<string, (value: unknown) => boolean>>;

export function refuseUnsupported(
  body: JsonObject,
  unsupported: Unsupported,
): Result<never, Refusal> | null {
  for (const [name, asksForNothing] of Object.entries(unsupported)) {
    const value = own(body, name) ?? null;
    if (value !== null && !asksForNothing(value))
      return refuseMember(name, "This endpoint does not support it.");
  }
  return null;
}

/** No shape here is deeper. */
const maxLevels = 8;
/** A header has room for so many, and for no text of a caller's. */
const maxIgnored = 20;
const plainName = /^\w{1,40}$/;

function collectIgnored(
  sent: unknown,
  { read, path, found }: { read: unknown; path: readonly string[]; found: Set<string> },
): void {
  if (path.length > maxLevels) return;
  if (Array.isArray(sent) && Array.isArray(read)) {
    for (const [at, each] of sent.entries())
      collectIgnored(each, { read: read[at] as unknown, path, found });
  } else if (isObject(sent) && isObject(read)) {
    for (const [name, value] of Object.entries(sent)) {
      if (value === null || !plainName.test(name)) continue;
      const inner = [...path, name];
      if (Object.hasOwn(read, name))
        collectIgnored(value, { read: read[name], path: inner, found });
      else if (found.size < maxIgnored) found.add(inner.join("."));
    }
  }
}

/**
 * Without positions in lists, such as `tools.strict`.
 * @param read the body without the members that its schema doesn't know
 */
export function ignoredIn(body: JsonObject, read: object, unsupported: Unsupported): string[] {
  const found = new Set<string>();
  collectIgnored(body, { read, path: [], found });
  return [...found].filter((name) => !Object.hasOwn(unsupported, name));
}

const effortNames = z.enum(efforts);
/** Efforts that this router doesn't know have no wire to go to. */
export const effort = effortNames.nullish();

export const reasoningFor = (asked: z.infer<typeof effort>): Pick<SamplingCall, "reasoning"> =>
  asked === null || asked === undefined ? {} : { reasoning: { effort: asked } };

export const answerSchema = z.object({
  name: z.string().max(64).optional(),
  description: z.string().optional(),
  schema: jsonObject,
});

export const jsonAnswer = ({
  name,
  description,
  schema,
}: z.infer<typeof answerSchema>): Pick<SamplingCall, "format" | "schema"> => ({
  format: "json",
  schema: {
    schema,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  },
});

const dataUrl = /^data:([^;,]+)((?:;[^;,]+)*);base64,(.*)$/su;

/** An image from a data URL; null: it is another kind of URL, which the router does not fetch. */
export function imageFrom(url: string): Block | null {
  const found = dataUrl.exec(url);
  return found === null ? null : { type: "image", mimeType: found[1] ?? "", data: found[3] ?? "" };
}

/** Adds a block to the last message where that has the same role, since tool results belong in one message. */
export function addTo(messages: Message[], role: Message["role"], blocks: readonly Block[]): void {
  const last = messages.at(-1);
  if (last?.role === role) last.content.push(...blocks);
  else messages.push({ role, content: [...blocks] });
}

export const neutral = {
  includeContext: "none",
  outputModalities: ["text"],
  metadata: {},
  hints: [],
  priorities: {},
} as const satisfies Partial<SamplingCall> as Pick<
  SamplingCall,
  "includeContext" | "outputModalities" | "metadata" | "hints" | "priorities"
>;
