import type { FaultKind, ProviderFault } from "../attempts.ts";
import { isDeeperThan, maxMessageLevels } from "../depth.ts";
import { parsedJson } from "../json.ts";
import type { ProviderAnswer } from "./providers.ts";
import { err, ok, type Result } from "../result.ts";
import type { Block, SamplingCall } from "./call.ts";
import { cutToVisible } from "./visible-text.ts";

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

/** The JSON inside a single Markdown code fence; null: anything else. Linear time. */
export function unfenced(text: string): string | null {
  const trimmed = text.trim();
  const fence = /^`{3,}/.exec(trimmed)?.[0];
  if (fence === undefined || trimmed.length < 2 * fence.length || !trimmed.endsWith(fence))
    return null;
  const inside = trimmed.slice(fence.length, -fence.length);
  const withoutLanguage = inside.replace(/^[ \t]*[A-Za-z0-9+.-]+\s/, "");
  // Without a language, the first word may be JSON, for example `true`.
  for (const body of [inside.trim(), withoutLanguage.trim()])
    if (parsedJson(body) !== undefined) return body;
  return null;
}

const usesTools = ({ content }: ProviderAnswer): boolean =>
  content.some(({ type }) => type === "tool_use");

/** Tool uses are not final answers; requests without text output don't expect JSON. */
const wantsJson = (answer: ProviderAnswer, { format, outputModalities }: SamplingCall): boolean =>
  format === "json" && outputModalities.includes("text") && !usesTools(answer);

const textOf = ({ content }: ProviderAnswer): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

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
  if (!wantsJson(answer, call) || answer.stopReason !== "endTurn") return true;
  const hasText = answer.content.some(({ type }) => type === "text");
  if (!hasText && call.outputModalities.length > 1) return true;
  return parsedJson(textOf(answer)) !== undefined;
}

/** Source: 2025-11-25, "Tool Choice Modes": `required` means at least one tool use, `none` means none. */
function isToolUseAsAsked(answer: ProviderAnswer, { tools, toolChoice }: SamplingCall): boolean {
  const uses = answer.content.filter((block) => block.type === "tool_use");
  // The caller can't run a tool that was not offered.
  if (uses.some(({ name }) => !tools.some((tool) => tool.name === name))) return false;
  if (tools.length === 0) return true;
  if (toolChoice === "none") return uses.length === 0;
  // A truncated answer ends at the caller's own limit.
  return toolChoice !== "required" || uses.length > 0 || answer.stopReason === "maxTokens";
}

/** Nesting limit of content, which the caller returns four levels deep in `params.messages[].content`. */
const maxContentLevels = maxMessageLevels - 4;

export function checkAnswer(
  whole: ProviderAnswer,
  call: SamplingCall,
): Result<ProviderAnswer, ProviderFault> {
  // First, because the following steps recurse.
  if (isDeeperThan(whole.content, maxContentLevels)) return err(notAsAsked("malformed", whole));
  // A caller that speaks the provider's wire gets whatever the provider says.
  if (whole.passed !== undefined) return ok(whole);
  if (!isToolUseAsAsked(whole, call)) return err(notAsAsked("wrong_tool_use", whole));
  const bare = withoutFence(whole, call);
  // The provider's count includes the removed fence, so the router estimates.
  const usage = bare === whole ? whole.usage : { ...whole.usage, estimated: true };
  const answer = { ...cutToVisible({ ...bare, usage }, call.maxTokens), usage: whole.usage };
  return isJsonAsAsked(answer, call) ? ok(answer) : err(notAsAsked("not_json", answer));
}
