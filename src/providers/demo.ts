/** The provider `demo`: labeled canned answers, free of charge. */
import { estimateInputTokens, tokensOfText } from "../domain/sampling/estimate.ts";
import type { Model } from "../domain/models/model.ts";
import type { ProviderAnswer, ProviderRequest } from "../domain/sampling/providers.ts";
import type { Block, SamplingCall } from "../domain/sampling/call.ts";

const label = "[demo model, no provider was called]";
const quoted = 80;
/** Fewer than the estimate assumes, to stay within `maxTokens`. */
const charactersPerToken = 3;

const demoModel = (
  id: string,
  name: string,
  tiers: Pick<Model, "intelligence" | "speed">,
): Model => ({
  provider: "demo",
  id,
  name: `${name} (demo, canned)`,
  family: "demo",
  aliases: [],
  inputModalities: ["text", "image", "audio"],
  outputModalities: ["text"],
  contextTokens: 128_000,
  outputTokens: 16_000,
  tools: true,
  temperature: true,
  reasoning: false,
  inputUsdPerMTok: 0,
  outputUsdPerMTok: 0,
  cachedInputUsdPerMTok: 0,
  priceTiers: [],
  ...tiers,
  status: "active",
  source: "catalogue",
});

export const demoModels: readonly Model[] = [
  demoModel("demo-small", "Demo Small", { intelligence: 2, speed: 5 }),
  demoModel("demo-large", "Demo Large", { intelligence: 4, speed: 3 }),
];

function textIn(block: Block): string | null {
  if (block.type === "text") return block.text;
  if (block.type !== "tool_result") return null;
  for (const item of block.content.toReversed()) if (item.type === "text") return item.text;
  return null;
}

function lastUserText(call: SamplingCall): string {
  for (const message of call.messages.toReversed()) {
    if (message.role !== "user") continue;
    for (const block of message.content.toReversed()) {
      const text = textIn(block);
      if (text !== null) return text;
    }
  }
  return "";
}

/** Without splitting a surrogate pair. */
const firstOf = (text: string, length: number): string => [...text].slice(0, length).join("");

interface Spoken {
  text: string;
  stopReason: "endTurn" | "stopSequence" | "maxTokens";
}

function say(call: SamplingCall, maxTokens: number): Spoken {
  const full = `${label} You said: "${firstOf(lastUserText(call), quoted)}"`;
  const stops = call.stopSequences.map((stop) => full.indexOf(stop)).filter((at) => at >= 0);
  const stopAt = Math.min(...stops, full.length);
  const text = firstOf(full.slice(0, stopAt), maxTokens * charactersPerToken);
  if (text.length < stopAt) return { text, stopReason: "maxTokens" };
  return { text, stopReason: stops.length > 0 ? "stopSequence" : "endTurn" };
}

/** Deterministic. Usage is estimated. */
export function demoAnswer(request: Pick<ProviderRequest, "call" | "maxTokens">): ProviderAnswer {
  const { call, maxTokens } = request;
  const inputTokens = estimateInputTokens(call);
  const tool = call.toolChoice === "required" ? call.tools[0] : undefined;
  if (tool !== undefined)
    return {
      content: [
        { type: "tool_use", id: `demo-call-${call.messages.length}`, name: tool.name, input: {} },
      ],
      stopReason: "toolUse",
      providerStopReason: null,
      usage: { inputTokens, outputTokens: tokensOfText(tool.name) + 1, estimated: true },
      notes: [],
    };
  const spoken = say(call, maxTokens);
  const { stopReason } = spoken;
  const text = call.format === "json" ? JSON.stringify({ demo: spoken.text }) : spoken.text;
  return {
    content: [{ type: "text", text }],
    stopReason,
    providerStopReason: null,
    usage: { inputTokens, outputTokens: tokensOfText(text), estimated: true },
    notes: [],
  };
}
