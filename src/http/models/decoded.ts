/** What the codecs of the model endpoints share: a request of a wire as the pipeline takes it. */
import { z } from "@hono/zod-openapi";
import { own, type JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { Block, Message, SamplingCall, TextBlock, Tool } from "../../domain/sampling/call.ts";
import { refusalOfInput } from "../../mcp/invalid-input.ts";

export interface Decoded {
  call: SamplingCall;
  /** members of the request that have no effect here */
  ignored: string[];
}

export const jsonObject = z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>;

export const textBlocks = (text: string): TextBlock[] =>
  text === "" ? [] : [{ type: "text", text }];

/**
 * Tools, and how the model is to use them. A tool that is named is the only one that the model gets.
 *
 * @param choice the name of a tool, with the member that names it; undefined: nothing was said
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

/**
 * Tokens of the answer where a request sets no limit, as clients of OpenAI's endpoints do. The limit has to be finite,
 * since it is reserved.
 */
export const defaultMaxTokens = 16_384;

export const refuseMember = (path: string, detail: string): Result<never, Refusal> =>
  err({ reason: "invalid_params", path, detail });

export function parsedBy<T>(schema: z.ZodType<T>, body: JsonObject): Result<T, Refusal> {
  const parsed = schema.safeParse(body);
  return parsed.success ? ok(parsed.data) : err(refusalOfInput(parsed.error));
}

/** Members that no call can carry; each with whether a value of it asks for nothing. */
export type Unsupported = Readonly<Record<string, (value: unknown) => boolean>>;

/** The refusal of the first member that a wire's request may not have; null: it has none. */
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

/** The members of a body that are neither read nor refused. */
export const ignoredIn = (body: JsonObject, known: readonly string[]): string[] =>
  Object.keys(body).filter((name) => !known.includes(name) && body[name] !== null);

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

/** The parts of a call that neither wire has. */
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
