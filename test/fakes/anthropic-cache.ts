/**
 * Anthropic's prompt cache by its documented rules, and what its endpoint refuses.
 * Source: Anthropic's documentation, "Prompt caching" and "Messages", read in October 2026.
 */
import { createHash } from "node:crypto";

export type Json = Record<string, unknown>;

/** What the endpoint says with a 400. */
export class Refused extends Error {}

const refuse = (message: string): never => {
  throw new Refused(message);
};

export interface AnthropicUsage {
  /** after the last mark, or all without one */
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  output_tokens: number;
}

type Ttl = "5m" | "1h";
const lifetimeMs: Record<Ttl, number> = { "5m": 5 * 60_000, "1h": 60 * 60_000 };
const maxMarks = 4;
const positionsLookedAt = 20;

/** As the page lists them, each model by name; another one is refused, so that no test leans on a guess. */
const minTokens: Readonly<Record<string, number>> = {
  "claude-fable-5": 512,
  "claude-opus-5": 512,
  "claude-opus-4-7": 2_048,
  "claude-opus-4-6": 4_096,
  "claude-opus-4-5": 4_096,
  "claude-opus-4-8": 1_024,
  "claude-sonnet-5": 1_024,
  "claude-sonnet-4-6": 1_024,
  "claude-sonnet-4-5": 1_024,
  "claude-opus-4-1": 1_024,
  "claude-haiku-4-5": 4_096,
};

interface Block {
  level: "tools" | "system" | "messages";
  type: string;
  tokens: number;
  /** of everything up to its end */
  hash: string;
  ttl: Ttl | null;
  /** message and type: a run of tool uses, or of results, is one position */
  run: string;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const charactersPerToken = 4;
const tokensPerImage = 1_500;

/** Four characters are a token, and an image is 1,500: exact, so that a test can say what it expects. */
function tokensOf(block: Json): number {
  if (block["type"] === "text") return Math.ceil(String(block["text"]).length / charactersPerToken);
  if (block["type"] === "image") return tokensPerImage;
  if (block["type"] === "tool_result") {
    const { content } = block;
    if (Array.isArray(content))
      return content.reduce((sum: number, each) => sum + tokensOf(each as Json), 0);
    return Math.ceil(String(content ?? "").length / charactersPerToken);
  }
  const { cache_control: _, ...rest } = block;
  return Math.ceil(JSON.stringify(rest).length / charactersPerToken);
}

function ttlOf(block: Json, where: string): Ttl | null {
  const mark = block["cache_control"];
  if (mark === undefined || mark === null) return null;
  if (!isObject(mark) || mark["type"] !== "ephemeral")
    return refuse(`${where}.cache_control.type: Input should be 'ephemeral'`);
  if (Object.keys(mark).some((key) => key !== "type" && key !== "ttl"))
    return refuse(`${where}.cache_control: Extra inputs are not permitted`);
  const ttl = mark["ttl"] ?? "5m";
  if (ttl !== "5m" && ttl !== "1h")
    return refuse(`${where}.cache_control.ttl: Input should be '5m' or '1h'`);
  if (block["type"] === "thinking" || block["type"] === "redacted_thinking")
    return refuse(`${where}.thinking.cache_control: Extra inputs are not permitted`);
  if (block["type"] === "text" && block["text"] === "")
    return refuse(`${where}.text: cache_control cannot be set for empty text blocks`);
  return ttl;
}

const asBlocks = (content: unknown): Json[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content as Json[]);

/** Every block in the order tools, system, messages. */
function listed(body: Json): { level: Block["level"]; block: Json; where: string; run: string }[] {
  const tools = (body["tools"] ?? []) as Json[];
  const system = body["system"] === undefined ? [] : asBlocks(body["system"]);
  const messages = body["messages"] as Json[];
  return [
    ...tools.map((block, at) => ({
      level: "tools" as const,
      block,
      where: `tools.${at}`,
      run: `tools ${at}`,
    })),
    ...system.map((block, at) => ({
      level: "system" as const,
      block,
      where: `system.${at}`,
      run: `system ${at}`,
    })),
    ...messages.flatMap(({ content }, message) =>
      asBlocks(content).map((block, at) => {
        const type = String(block["type"]);
        const runs = type === "tool_use" || type === "tool_result";
        return {
          level: "messages" as const,
          block,
          where: `messages.${message}.content.${at}`,
          run: runs ? `${message} ${type}` : `${message} ${at}`,
        };
      }),
    ),
  ];
}

const withoutMark = ({ cache_control: _, ...block }: Json): Json => block;

function checkNested(block: Json, where: string): void {
  const { content } = block;
  if (block["type"] === "text" && String(block["text"]).trim() === "")
    refuse(`${where}: text content blocks must contain non-whitespace text`);
  if (block["type"] === "tool_result" && Array.isArray(content))
    for (const each of content)
      if (isObject(each) && "cache_control" in each)
        refuse(`${where}.content: cache_control is not permitted inside a tool result`);
}

/** `auto`: the mark at the top of the body, which goes to the last block that takes one. */
function placeAutomatic(blocks: Block[], auto: Ttl | null): void {
  if (auto === null) return;
  if (blocks.filter(({ ttl }) => ttl !== null).length >= maxMarks)
    refuse(`A maximum of ${maxMarks} blocks with cache_control may be provided. Found 5.`);
  const last = blocks.findLast(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  if (last === undefined) return;
  if (last.ttl !== null && last.ttl !== auto)
    refuse("cache_control: ttl differs from the last block's");
  last.ttl = auto;
}

function blocksOf(body: Json, workspace: string): Block[] {
  const all = listed(body);
  // A change of these drops the cache entries of messages, and keeps those of tools and system
  // prompt.
  const messageLevel = JSON.stringify([
    body["tool_choice"] ?? null,
    body["thinking"] ?? null,
    all.some(({ block }) => JSON.stringify(block).includes('"type":"image"')),
  ]);
  let hash = JSON.stringify([workspace, body["model"]]);
  let level: Block["level"] = "tools";
  const blocks = all.map((each): Block => {
    const { block, where, run } = each;
    checkNested(block, where);
    if (each.level === "messages" && level !== "messages") hash += messageLevel;
    level = each.level;
    hash = createHash("sha256")
      .update(`${hash}\0${level}\0${JSON.stringify(withoutMark(block))}`)
      .digest("hex");
    const ttl = ttlOf(block, where);
    return { level, type: String(block["type"]), tokens: tokensOf(block), hash, ttl, run };
  });
  placeAutomatic(blocks, ttlOf({ type: "top", cache_control: body["cache_control"] }, "body"));
  const marks = blocks.filter(({ ttl }) => ttl !== null);
  if (marks.length > maxMarks)
    refuse(
      `A maximum of ${maxMarks} blocks with cache_control may be provided. Found ${marks.length}.`,
    );
  const short = marks.findIndex(({ ttl }) => ttl === "5m");
  if (short !== -1 && marks.slice(short).some(({ ttl }) => ttl === "1h"))
    refuse("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block");
  return blocks;
}

export interface AnthropicCache {
  /** What a request reads, writes and has processed. Throws `Refused`. */
  process(body: Json, workspace: string): Omit<AnthropicUsage, "output_tokens">;
}

/** `now`: ms. Entries live from the start of the request that wrote or read them. */
export function createAnthropicCache(deps: { now: () => number }): AnthropicCache {
  const entries = new Map<string, { ttl: Ttl; usedAt: number }>();

  const isThere = (hash: string): boolean => {
    const entry = entries.get(hash);
    return entry !== undefined && deps.now() - entry.usedAt < lifetimeMs[entry.ttl];
  };

  /** Walks back from one mark: 20 positions, the mark's own the first. -1: nothing was found. */
  const lookBack = (blocks: readonly Block[], mark: number): number => {
    let positions = 1;
    for (let at = mark; at >= 0; at -= 1) {
      if (at < mark && blocks[at]?.run !== blocks[at + 1]?.run) positions += 1;
      if (positions > positionsLookedAt) return -1;
      if (isThere(blocks[at]?.hash ?? "")) return at;
    }
    return -1;
  };

  return {
    process(body, workspace) {
      const least = minTokens[String(body["model"])] ?? refuse(`model: ${String(body["model"])}`);
      const blocks = blocksOf(body, workspace);
      const lengths: number[] = [];
      for (const { tokens } of blocks) lengths.push((lengths.at(-1) ?? 0) + tokens);
      const lengthTo = (at: number): number => (at < 0 ? 0 : (lengths[at] ?? 0));
      // Shorter ones are processed without the cache, and without a word.
      const marks = blocks.flatMap(({ ttl }, at) =>
        ttl !== null && lengthTo(at) >= least ? [{ at, ttl }] : [],
      );
      let hit = -1;
      for (const { at } of marks.toReversed()) {
        hit = lookBack(blocks, at);
        if (hit !== -1) break;
      }
      const read = blocks[hit];
      const entry = read === undefined ? undefined : entries.get(read.hash);
      if (entry !== undefined) entry.usedAt = deps.now();
      const written: Record<Ttl, number> = { "5m": 0, "1h": 0 };
      let covered = hit;
      for (const { at, ttl } of marks) {
        const hash = blocks[at]?.hash ?? "";
        if (at <= hit) continue;
        written[ttl] += lengthTo(at) - lengthTo(covered);
        covered = at;
        entries.set(hash, { ttl, usedAt: deps.now() });
      }
      return {
        input_tokens: lengthTo(blocks.length - 1) - lengthTo(covered),
        cache_creation_input_tokens: written["5m"] + written["1h"],
        cache_read_input_tokens: lengthTo(hit),
        cache_creation: {
          ephemeral_5m_input_tokens: written["5m"],
          ephemeral_1h_input_tokens: written["1h"],
        },
      };
    },
  };
}
