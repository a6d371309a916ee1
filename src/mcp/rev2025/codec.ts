/** The four legacy revisions, which differ only in content. */
import { forVersion } from "../../domain/sampling/capabilities.ts";
import type { JsonObject } from "../../domain/json.ts";
import { maxRequestTokens } from "../../domain/magnitudes.ts";
import { err, ok } from "../../domain/result.ts";
import {
  runMember,
  tagMember,
  type Block,
  type Message,
  type Priorities,
  type ResourceBlock,
  type SamplingAnswer,
  type SamplingCall,
  type ToolResultBlock,
} from "../../domain/sampling/call.ts";
import type { Modality } from "../../domain/modality.ts";
import type { Codec } from "../codec.ts";
import { legacyWireOf } from "../faults.ts";
import { refusalOfInput } from "../invalid-input.ts";
import {
  callSchema,
  legacyRevisions,
  outputModalitiesKey,
  unknownIn,
  type LegacyRevision,
  type ParsedCall,
} from "./call.ts";

export { legacyRevisions, type LegacyRevision };

type WireBlock = ParsedCall["messages"][number]["content"][number];
type WireToolResult = Extract<WireBlock, { type: "tool_result" }>;

const toolResultOf = (wire: WireToolResult): ToolResultBlock => ({
  type: "tool_result",
  toolUseId: wire.toolUseId,
  content: wire.content.map((part): ToolResultBlock["content"][number] => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "image":
      case "audio":
        return { type: part.type, data: part.data, mimeType: part.mimeType };
      case "resource":
      case "resource_link":
        return { type: part.type, raw: part as unknown as ResourceBlock["raw"] };
    }
  }),
  ...(wire.structuredContent === undefined ? {} : { structuredContent: wire.structuredContent }),
  ...(wire.isError === undefined ? {} : { isError: wire.isError }),
  ...(wire._meta === undefined ? {} : { _meta: wire._meta }),
});

function blockOf(wire: WireBlock): Block {
  switch (wire.type) {
    case "text":
      return { type: "text", text: wire.text };
    case "image":
    case "audio":
      return { type: wire.type, data: wire.data, mimeType: wire.mimeType };
    case "tool_use":
      return {
        type: "tool_use",
        id: wire.id,
        name: wire.name,
        input: wire.input,
        ...(wire._meta === undefined ? {} : { _meta: wire._meta }),
      };
    case "tool_result":
      return toolResultOf(wire);
  }
}

function prioritiesOf(preferences: ParsedCall["modelPreferences"]): Priorities {
  const priorities: Priorities = {};
  if (preferences?.costPriority !== undefined) priorities.cost = preferences.costPriority;
  if (preferences?.speedPriority !== undefined) priorities.speed = preferences.speedPriority;
  if (preferences?.intelligencePriority !== undefined)
    priorities.intelligence = preferences.intelligencePriority;
  return priorities;
}

function callOf(wire: ParsedCall): SamplingCall {
  const {
    [outputModalitiesKey]: wanted,
    [tagMember]: tag = wire._meta?.[tagMember],
    [runMember]: run = wire._meta?.[runMember],
    ...metadata
  } = wire.metadata ?? {};
  const outputModalities = wanted ?? wire._meta?.[outputModalitiesKey] ?? (["text"] as const);
  const messages = wire.messages.map(({ role, content }): Message => ({
    role,
    content: content.map(blockOf),
  }));
  return {
    messages,
    // Some clients request the largest number there is; fewer tokens are allowed.
    maxTokens: Math.min(wire.maxTokens, maxRequestTokens),
    hints: (wire.modelPreferences?.hints ?? []).flatMap(({ name }) =>
      name === undefined ? [] : [name],
    ),
    priorities: prioritiesOf(wire.modelPreferences),
    includeContext: wire.includeContext ?? "none",
    stopSequences: wire.stopSequences ?? [],
    tools: (wire.tools ?? []).map(({ name, description, inputSchema }) => ({
      name,
      inputSchema,
      ...(description === undefined ? {} : { description }),
    })),
    metadata: metadata as JsonObject,
    ...(tag === undefined ? {} : { tag }),
    ...(run === undefined ? {} : { run }),
    outputModalities: [...new Set<Modality>(outputModalities)],
    ...(wire.systemPrompt === undefined ? {} : { systemPrompt: wire.systemPrompt }),
    ...(wire.temperature === undefined ? {} : { temperature: wire.temperature }),
    ...(wire.toolChoice === undefined ? {} : { toolChoice: wire.toolChoice.mode ?? "auto" }),
  };
}

const wireBlock = (block: Block): JsonObject => ({ ...block }) as unknown as JsonObject;

/**
 * For callers that accept no array: before 2025-11-25, and for requests without tools, whose SDK rejects
 * arrays. Joins texts, or keeps the block of the requested modality.
 */
function oneBlockOf(
  content: readonly Block[],
  wanted: readonly Modality[],
): { block: JsonObject; omitted: string[] } {
  const kind = wanted.find((modality) => content.some(({ type }) => type === modality)) ?? "text";
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const kept = content.find(({ type }) => type === kind);
  const block: JsonObject =
    kind === "text" || kept === undefined
      ? { type: "text", text: texts.join("") }
      : wireBlock(kept);
  const omitted = content.filter((other) =>
    block["type"] === "text" ? other.type !== "text" : other !== kept,
  );
  return { block, omitted: omitted.map(({ type }) => type) };
}

function encode(answer: SamplingAnswer, call: SamplingCall, meta: JsonObject): JsonObject {
  const result = (content: JsonObject | JsonObject[], more: JsonObject): JsonObject => ({
    role: "assistant",
    content,
    model: answer.model,
    stopReason: answer.stopReason,
    _meta: {
      ...meta,
      ...(answer.providerStopReason === undefined
        ? {}
        : { "sampling-router/providerStopReason": answer.providerStopReason }),
      ...more,
    },
  });
  if (call.tools.length > 0 && answer.content.length !== 1)
    return result(answer.content.map(wireBlock), {});
  const [only] = answer.content;
  if (call.tools.length > 0 && only !== undefined) return result(wireBlock(only), {});
  const { block, omitted } = oneBlockOf(answer.content, call.outputModalities);
  return result(block, omitted.length === 0 ? {} : { "sampling-router/omitted": omitted });
}

export function createLegacyCodec(revision: LegacyRevision): Codec {
  const schema = callSchema(revision);
  return {
    revision,
    decodeCall(params) {
      const parsed = schema.safeParse(params);
      return parsed.success ? ok(callOf(parsed.data)) : err(refusalOfInput(parsed.error));
    },
    unknownIn,
    encodeAnswer: encode,
    wireOf: legacyWireOf,
    capabilitiesOf: (raw) => forVersion(raw, revision),
  };
}
