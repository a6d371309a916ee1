/** Whether a provider's answer is what was asked for. Pure. A fault says what is wrong with the answer. */
import type { FaultKind, ProviderFault } from "../attempts.ts";
import { isDeeperThan, mostMessageLevels } from "../depth.ts";
import { parsedJson } from "../json.ts";
import type { ProviderAnswer } from "./providers.ts";
import { err, ok, type Result } from "../result.ts";
import type { Block, SamplingCall } from "./call.ts";
import { cutToVisible } from "./visible-text.ts";

/** The fault of an answer that is charged for and is not what was asked for. */
const notAsAsked = (kind: FaultKind, { usage }: ProviderAnswer): ProviderFault => ({
  kind,
  status: 200,
  retryable: true,
  retryAfterMs: null,
  billed: "maybe",
  reach: "model",
  usage,
});

export const fenceNote = "format: a code fence around the JSON was taken off";

/**
 * The JSON text inside of one Markdown code fence; null: the text is anything else. A word after the opening
 * backticks is the fence's language. Each step looks at the text once, whatever the text is.
 */
export function unfenced(text: string): string | null {
  const trimmed = text.trim();
  const fence = /^`{3,}/.exec(trimmed)?.[0];
  if (fence === undefined || trimmed.length < 2 * fence.length || !trimmed.endsWith(fence))
    return null;
  const inside = trimmed.slice(fence.length, -fence.length);
  const withoutLanguage = inside.replace(/^[ \t]*[A-Za-z0-9+.-]+\s/, "");
  // Without a language, the first word is JSON already, such as `true`.
  for (const body of [inside.trim(), withoutLanguage.trim()])
    if (parsedJson(body) !== undefined) return body;
  return null;
}

const usesTools = ({ content }: ProviderAnswer): boolean =>
  content.some(({ type }) => type === "tool_use");

/** A tool use is no answer yet, and JSON was not asked for where no text was wanted. */
const wantsJson = (answer: ProviderAnswer, { format, outputModalities }: SamplingCall): boolean =>
  format === "json" && outputModalities.includes("text") && !usesTools(answer);

const textOf = ({ content }: ProviderAnswer): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

/** The answer with its JSON without the fence, in one block, where its first text stood. */
function withoutFence(answer: ProviderAnswer, call: SamplingCall): ProviderAnswer {
  if (!wantsJson(answer, call)) return answer;
  const text = unfenced(textOf(answer));
  if (text === null) return answer;
  const first = answer.content.findIndex(({ type }) => type === "text");
  const content = answer.content.flatMap((block, at): Block[] => {
    if (block.type !== "text") return [block];
    return at === first ? [{ type: "text", text }] : [];
  });
  return { ...answer, content, notes: [...answer.notes, fenceNote] };
}

function isJsonAsAsked(answer: ProviderAnswer, call: SamplingCall): boolean {
  // An answer that was cut goes as far as the caller's own limit allows.
  if (!wantsJson(answer, call) || answer.stopReason !== "endTurn") return true;
  // Media that was asked for beside text may stand alone.
  const hasText = answer.content.some(({ type }) => type === "text");
  if (!hasText && call.outputModalities.length > 1) return true;
  return parsedJson(textOf(answer)) !== undefined;
}

/**
 * Checks `toolChoice` and the names of the tools against what was sent. Source: 2025-11-25, "Tool Choice
 * Modes": `required` means at least one tool use, `none` means no tool use.
 */
function isToolUseAsAsked(answer: ProviderAnswer, { tools, toolChoice }: SamplingCall): boolean {
  const uses = answer.content.filter((block) => block.type === "tool_use");
  // The caller's side can't run a tool that was not offered.
  if (uses.some(({ name }) => !tools.some((tool) => tool.name === name))) return false;
  // Without tools, no tool choice was sent.
  if (tools.length === 0) return true;
  if (toolChoice === "none") return uses.length === 0;
  // An answer that was cut goes as far as the caller's own limit allows, and its stop reason says
  // so.
  return toolChoice !== "required" || uses.length > 0 || answer.stopReason === "maxTokens";
}

/**
 * Levels of an answer's content. The caller sends the content back in `params.messages[].content`, where four levels
 * are around it.
 */
const mostContentLevels = mostMessageLevels - 4;

/** The answer as the caller gets it, or the fault of an answer that can't be used. */
export function checkAnswer(
  whole: ProviderAnswer,
  call: SamplingCall,
): Result<ProviderAnswer, ProviderFault> {
  // First of all, since what follows may walk the content by recursion.
  if (isDeeperThan(whole.content, mostContentLevels)) return err(notAsAsked("malformed", whole));
  if (!isToolUseAsAsked(whole, call)) return err(notAsAsked("wrong_tool_use", whole));
  const bare = withoutFence(whole, call);
  // The provider counted the fence too, which is not text for the caller. So our own estimate is
  // used.
  const usage = bare === whole ? whole.usage : { ...whole.usage, estimated: true };
  const answer = { ...cutToVisible({ ...bare, usage }, call.maxTokens), usage: whole.usage };
  return isJsonAsAsked(answer, call) ? ok(answer) : err(notAsAsked("not_json", answer));
}
