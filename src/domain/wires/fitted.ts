/** Adapts a call to what a wire accepts, and restores the caller's tool names, argument names and types in the answer. */
import type { JsonObject } from "../json.ts";
import type { Model } from "../models/model.ts";
import type {
  Block,
  Message,
  ResourceBlock,
  SamplingCall,
  Tool,
  ToolUseBlock,
} from "../sampling/call.ts";
import { imageFacts } from "../media-format.ts";
import { originOf, providerMetadataKey } from "../sampling/tool-loop.ts";
import { aliasesFor, type Aliases } from "./names.ts";
import { withFitIds } from "./ids.ts";
import { rulesOf, wireOf, type WireRules } from "./rules.ts";
import { parseStringifiedInput } from "./stringified-input.ts";
import { fitSchema, renamedKeys } from "./schemas.ts";
import { isTaken, wellFormed, withFitTexts } from "./texts.ts";

export interface Fitted {
  call: SamplingCall;
  notes: string[];
  /** converts an answer's blocks back to the caller's names and schema types */
  restoreBlocks: (content: readonly Block[]) => Block[];
  /** tool arguments have other names on the wire */
  renamesInputs: boolean;
}

type MemberNames = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Duplicate names would be ambiguous in an answer. */
function eachOnce(tools: readonly Tool[]): Tool[] {
  const names = new Set<string>();
  return tools.filter(({ name }) => !names.has(name) && names.add(name));
}

function usesIn(messages: readonly Message[]): ToolUseBlock[] {
  const uses: ToolUseBlock[] = [];
  for (const { content } of messages)
    for (const block of content) if (block.type === "tool_use") uses.push(block);
  return uses;
}

function fitTools(
  tools: readonly Tool[],
  { aliases, rules }: { aliases: Aliases; rules: WireRules },
): { tools: Tool[]; members: MemberNames; loosened: string[] } {
  const members = new Map<string, ReadonlyMap<string, string>>();
  const loosened: string[] = [];
  const fit = tools.map(({ name, description, inputSchema }): Tool => {
    const fitting = fitSchema(inputSchema, rules);
    if (fitting.names.size > 0) members.set(name, fitting.names);
    if (fitting.loosened) loosened.push(name);
    const alias = aliases.to(name);
    const shown = alias === name ? description : `Named "${name}". ${description ?? ""}`.trimEnd();
    return {
      name: alias,
      ...(shown !== undefined && { description: shown }),
      inputSchema: fitting.schema,
    };
  });
  return { tools: fit, members, loosened };
}

const inverse = (names: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...names].map(([alias, name]) => [name, alias]));

const without = ({ [providerMetadataKey]: _, ...rest }: JsonObject): JsonObject => rest;

function fitUse(
  block: ToolUseBlock,
  { aliases, members, provider }: { aliases: Aliases; members: MemberNames; provider: string },
): ToolUseBlock {
  const { _meta, ...use } = block;
  const origin = originOf(block);
  const isForeign = origin !== null && origin.provider !== provider;
  const names = members.get(block.name);
  return {
    ...use,
    name: aliases.to(block.name),
    input: names === undefined ? block.input : renamedKeys(block.input, inverse(names)),
    ...(_meta !== undefined && { _meta: isForeign ? without(_meta) : _meta }),
  };
}

function restoredUse(
  block: ToolUseBlock,
  { aliases, members, tools }: { aliases: Aliases; members: MemberNames; tools: readonly Tool[] },
): ToolUseBlock {
  const name = aliases.from(block.name);
  const input = renamedKeys(block.input, members.get(name) ?? new Map());
  const tool = tools.find((each) => each.name === name);
  return {
    ...block,
    name,
    input: tool === undefined ? input : parseStringifiedInput(input, tool.inputSchema),
  };
}

/** Providers reject media whose declared type is wrong. */
function fitMedia<Of extends Block | ResourceBlock>(block: Of): Of {
  if (block.type === "tool_result") {
    const content = block.content.map((item) => fitMedia(item));
    return content.every((item, at) => item === block.content[at]) ? block : { ...block, content };
  }
  if (block.type !== "image") return block;
  const { format } = imageFacts(block);
  return format === block.mimeType ? block : { ...block, mimeType: format };
}

const isText = ({ content }: Message): boolean => content.every(({ type }) => type === "text");

const fitMessage = (message: Message, about: Parameters<typeof fitUse>[1]): Message => ({
  ...message,
  content: message.content.map((block) =>
    block.type === "tool_use" ? fitUse(block, about) : fitMedia(block),
  ),
});

const withoutUses = ({ messages }: SamplingCall) => ({ messages, changed: false });

export function fitted(
  given: SamplingCall,
  model: Pick<Model, "provider" | "id" | "like">,
): Fitted {
  const rules = rulesOf[wireOf(model)];
  const { provider } = model;
  const notes: string[] = [];
  const whole = wellFormed(given);
  if (whole !== given) notes.push("messages: invalid Unicode (lone surrogates) replaced");
  const once = eachOnce(whole.tools);
  if (once.length < whole.tools.length) notes.push("tools: duplicate names removed");
  const uses = usesIn(whole.messages);
  const names = [...once, ...uses].map(({ name }) => name);
  const { toolName: pattern, toolNameLength: length } = rules;
  const aliases = aliasesFor(names, { pattern, length });
  if (aliases.any()) notes.push("tools: renamed, because the model rejects these names");
  const { tools, members, loosened } = fitTools(once, { aliases, rules });
  if (loosened.length > 0)
    notes.push(`tools: schemas loosened for this model (${loosened.length})`);
  if (members.size > 0)
    notes.push("tools: arguments renamed, because the model rejects these names");
  const ids = uses.length === 0 ? withoutUses(whole) : withFitIds(whole.messages, rules);
  if (ids.changed) notes.push("messages: tool use ids replaced, because the model rejects them");
  const texts = withFitTexts(ids.messages, rules);
  const messages = texts.messages.map((message) =>
    isText(message) ? message : fitMessage(message, { aliases, members, provider }),
  );
  const stopSequences = whole.stopSequences.filter((stop) => isTaken(stop, rules.stops));
  if (stopSequences.length < whole.stopSequences.length)
    notes.push("stopSequences: empty or blank values removed");
  const { systemPrompt, temperature, ...rest } = whole;
  const hasSystem = systemPrompt !== undefined && isTaken(systemPrompt, rules.text);
  const isHot = temperature !== undefined && temperature > rules.maxTemperature;
  if (isHot)
    notes.push(`temperature lowered to ${rules.maxTemperature}, the maximum of this model`);
  const call: SamplingCall = {
    ...rest,
    ...(hasSystem && { systemPrompt }),
    ...(temperature !== undefined && { temperature: isHot ? rules.maxTemperature : temperature }),
    tools,
    messages,
    stopSequences,
  };
  const restoreBlocks = (content: readonly Block[]): Block[] =>
    content.map((block) =>
      block.type === "tool_use" ? restoredUse(block, { aliases, members, tools: once }) : block,
    );
  const renamesInputs = members.size > 0;
  return { call, notes: [...notes, ...texts.notes], restoreBlocks, renamesInputs };
}
