/** Adds the provider's cache marks or cache key to a prompt. The content is unchanged. */
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { tokensOfMedia } from "../domain/sampling/estimate.ts";
import { isObject, own } from "../domain/json.ts";
import {
  cacheRulesOf,
  marksFor,
  pieceCountForKey,
  type PromptPiece,
  type PromptPrefixes,
} from "../domain/sampling/prompt-caching.ts";
import type { ProviderRequest } from "../domain/sampling/providers.ts";
import { endsWithToolResults } from "../domain/sampling/call.ts";
import { tokenFamilyOf, tokensIn } from "../domain/tokens/tokenizers.ts";
import { type TokenFamily } from "../domain/requirements.ts";

type Options = LanguageModelV4CallOptions;
type Part = Exclude<LanguageModelV4Message["content"], string>[number];

interface MarkWire {
  mark: SharedV4ProviderOptions;
  /** `false`: only text of users and tool results takes a mark */
  onEveryBlock: boolean;
}

/** `withMarksOnBlocks` finishes the body for OpenRouter. */
const markWires: Readonly<Record<string, MarkWire>> = {
  anthropic: {
    mark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    onEveryBlock: true,
  },
  openrouter: {
    mark: { openaiCompatible: { cache_control: { type: "ephemeral" } } },
    onEveryBlock: false,
  },
};

/** The tools, as a message index. */
const toolsPlace = -1;

interface Piece extends PromptPiece {
  /** compared with earlier prompts */
  text: string;
  /** index of the message and of its part */
  message: number;
  part: number;
}

function tokensOf(part: Part, family: TokenFamily): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return tokensIn(part.text, family);
    case "file":
      return part.data.type === "data" && typeof part.data.data === "string"
        ? tokensOfMedia(part.mediaType.startsWith("audio/") ? "audio" : "image", part.data.data)
        : 0;
    case "tool-call":
      return tokensIn(`${part.toolName} ${JSON.stringify(part.input)}`, family);
    case "tool-result": {
      const { output } = part;
      if (output.type !== "content") return tokensIn(JSON.stringify(output), family);
      return output.value
        .filter((each) => each.type === "text" || each.type === "file")
        .reduce((sum, each) => sum + tokensOf(each, family), 0);
    }
    default:
      return 0;
  }
}

function markable(role: string, part: Part, { onEveryBlock }: MarkWire): boolean {
  if (role === "assistant" && !onEveryBlock) return false;
  switch (part.type) {
    case "text":
      return part.text.trim() !== "";
    case "tool-result":
      return onEveryBlock || !("value" in part.output) || part.output.value !== "";
    default:
      return part.type === "file" || part.type === "tool-call";
  }
}

function piecesOf(options: Options, wire: MarkWire, family: TokenFamily): Piece[] {
  const pieces: Piece[] = [];
  const { tools = [], toolChoice } = options;
  if (tools.length > 0) {
    const text = JSON.stringify(tools);
    const tokens = tokensIn(text, family);
    const place = { message: toolsPlace, part: 0 };
    pieces.push({
      of: "tools",
      tokens,
      markable: wire.onEveryBlock,
      endsMessage: true,
      text,
      ...place,
    });
  }
  for (const [at, { role, content }] of options.prompt.entries()) {
    if (typeof content === "string") {
      const tokens = tokensIn(content, family);
      const takesMark = content.trim() !== "";
      const place = { message: at, part: 0 };
      pieces.push({
        of: "system",
        tokens,
        markable: takesMark,
        endsMessage: true,
        text: content,
        ...place,
      });
      continue;
    }
    for (const [position, part] of content.entries()) {
      const { providerOptions: _, ...compared } = part;
      pieces.push({
        of: role === "assistant" ? "assistant" : "user",
        tokens: tokensOf(part, family),
        markable: markable(role, part, wire),
        endsMessage: position === content.length - 1,
        // Anthropic: another tool choice keeps cache entries of tools and system prompt, but not of messages.
        text: JSON.stringify([role, compared, toolChoice?.type ?? null]),
        message: at,
        part: position,
      });
    }
  }
  return pieces;
}

function marksItself({ prompt, providerOptions }: Options): boolean {
  const marks = (options: SharedV4ProviderOptions | undefined): boolean =>
    ["cacheControl", "cache_control"].some((name) =>
      isObject(own(own(options, "anthropic"), name)),
    );
  return (
    marks(providerOptions) ||
    prompt.some(
      ({ content }) =>
        typeof content !== "string" && content.some((part) => marks(part.providerOptions)),
    )
  );
}

function withMarks(
  options: Options,
  pieces: readonly Piece[],
  mark: SharedV4ProviderOptions,
): Options {
  const isMarked = (message: number, part: number): boolean =>
    pieces.some((piece) => piece.message === message && piece.part === part);
  const marked = <T extends { providerOptions?: SharedV4ProviderOptions }>(target: T): T => ({
    ...target,
    providerOptions: { ...target.providerOptions, ...mergedInto(target.providerOptions, mark) },
  });
  const { prompt, tools } = options;
  return {
    ...options,
    prompt: prompt.map((message, at): LanguageModelV4Message => {
      if (message.role === "system") return isMarked(at, 0) ? marked(message) : message;
      const content = message.content.map((part, position) =>
        isMarked(at, position) ? marked(part) : part,
      );
      return { ...message, content } as LanguageModelV4Message;
    }),
    // A mark on the last tool covers all.
    ...(tools !== undefined && isMarked(toolsPlace, 0)
      ? {
          tools: tools.map((tool, at) =>
            at === tools.length - 1 && tool.type === "function" ? marked(tool) : tool,
          ),
        }
      : {}),
  };
}

const mergedInto = (
  given: SharedV4ProviderOptions | undefined,
  mark: SharedV4ProviderOptions,
): SharedV4ProviderOptions =>
  Object.fromEntries(
    Object.entries(mark).map(([namespace, options]) => [
      namespace,
      { ...given?.[namespace], ...options },
    ]),
  );

/** After `none`, the answer ends the tool loop. */
const isInToolLoop = ({ call }: ProviderRequest): boolean =>
  call.tools.length > 0 && call.toolChoice !== "none" && endsWithToolResults(call.messages);

const sum = (pieces: readonly Piece[]): number =>
  pieces.reduce((total, { tokens }) => total + tokens, 0);

interface Prepared {
  request: ProviderRequest;
  options: Options;
  prefixes: PromptPrefixes;
  scope: NonNullable<ProviderRequest["cacheScope"]>;
  minTokens: number;
}

async function withCacheMarks(prepared: Prepared): Promise<Options> {
  const { request, options, prefixes, scope, minTokens } = prepared;
  const { credential, model, call } = request;
  const wire = markWires[credential.provider];
  if (wire === undefined || marksItself(options)) return options;
  const pieces = piecesOf(options, wire, tokenFamilyOf(model));
  if (sum(pieces) < minTokens) return options;
  const cachedPieces = await prefixes.recall({
    messages: call.messages,
    tenantId: scope.tenantId,
    scope: [scope.credentialId, model.id],
    pieces: pieces.map(({ text }) => text),
  });
  const marks = marksFor({ pieces, minTokens, inToolLoop: isInToolLoop(request), cachedPieces });
  const chosen = marks.flatMap((at) => pieces[at] ?? []);
  return chosen.length === 0 ? options : withMarks(options, chosen, wire.mark);
}

/** For providers that take a key instead of marks. */
const unmarked: MarkWire = { mark: {}, onEveryBlock: false };

async function withCacheKey(prepared: Prepared): Promise<Options> {
  const { request, options, prefixes, scope, minTokens } = prepared;
  const { credential, model } = request;
  const pieces = piecesOf(options, unmarked, tokenFamilyOf(model));
  if (sum(pieces) < minTokens) return options;
  const key = await prefixes.cacheKeyOf({
    tenantId: scope.tenantId,
    scope: [scope.credentialId, model.id],
    pieces: pieces.slice(0, pieceCountForKey(pieces, minTokens)).map(({ text }) => text),
  });
  const given = options.providerOptions;
  const ours = mergedInto(given, { [credential.provider]: { prompt_cache_key: key } });
  return { ...options, providerOptions: { ...given, ...ours } };
}

/** Unchanged if caching is off or no prefix is known. */
export async function withCaching(given: {
  request: ProviderRequest;
  options: Options;
  prefixes: PromptPrefixes | undefined;
}): Promise<Options> {
  const { request, options, prefixes } = given;
  const { credential, model, cacheScope: scope } = request;
  // At clouds, a model has another id.
  const { id, like = id } = model;
  const rules = cacheRulesOf({ provider: credential.provider, id: like });
  if (rules === null || scope === undefined || prefixes === undefined) return options;
  const prepared = { request, options, prefixes, scope, minTokens: rules.minTokens };
  return rules.way === "marks" ? withCacheMarks(prepared) : withCacheKey(prepared);
}
