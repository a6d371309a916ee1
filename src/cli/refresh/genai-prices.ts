/** Prices and contexts of `@pydantic/genai-prices`. */
import type { MatchLogic, ModelPrice, Provider, TieredPrices } from "@pydantic/genai-prices";
import type { PriceTier } from "../../domain/models/model.ts";
import type { Figures } from "./figures.ts";

/** Our provider names → theirs. */
const theirs: Readonly<Record<string, string>> = { "workers-ai": "cloudflare", xai: "x-ai" };

const figureOf = {
  inputUsdPerMTok: "input_mtok",
  outputUsdPerMTok: "output_mtok",
  cachedInputUsdPerMTok: "cache_read_mtok",
  cacheWriteUsdPerMTok: "cache_write_mtok",
  cacheWriteHourUsdPerMTok: "cache_write_1h_mtok",
  audioInputUsdPerMTok: "input_audio_mtok",
  cachedAudioInputUsdPerMTok: "cache_audio_read_mtok",
} as const;
type Priced = keyof typeof figureOf;
const priced = Object.keys(figureOf) as Priced[];

/** Exact ids only: a pattern may match newer models. */
const names = (match: MatchLogic, id: string): boolean =>
  "or" in match
    ? match.or.some((each) => names(each, id))
    : "equals" in match
      ? match.equals === id
      : "starts_with" in match && match.starts_with === id;

const baseOf = (price: number | TieredPrices | undefined): number | undefined =>
  typeof price === "object" ? price.base : price;

function figuresOf(price: ModelPrice): Figures {
  const figures: Figures = {};
  const tiers = new Map<number, PriceTier>();
  for (const figure of priced) {
    const usd = price[figureOf[figure]];
    const base = baseOf(usd);
    if (base !== undefined) figures[figure] = base;
    if (typeof usd !== "object") continue;
    for (const { start, price: above } of usd.tiers) {
      const tier = tiers.get(start) ?? {
        aboveInputTokens: start,
        inputUsdPerMTok: 0,
        outputUsdPerMTok: 0,
      };
      tiers.set(start, { ...tier, [figure]: above });
    }
  }
  if (tiers.size > 0) figures.priceTiers = [...tiers.values()];
  return figures;
}

/** `wanted`: `provider/model`; prices as of `now`. */
export async function readGenaiPrices(
  wanted: readonly string[],
  now: Date,
): Promise<Map<string, Figures>> {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  const found = new Map<string, Figures>();
  for (const name of wanted) {
    const [provider = "", ...rest] = name.split("/");
    const id = rest.join("/");
    const listed: Provider | undefined = findProvider({ providerId: theirs[provider] ?? provider });
    const model = listed?.models.find((each) => names(each.match, id));
    if (listed === undefined || model === undefined) continue;
    const result = calcPrice({ input_tokens: 1 }, id, { providerId: listed.id, timestamp: now });
    if (result === null || result.model.id !== model.id) continue;
    found.set(name, {
      ...(model.context_window !== undefined && { contextTokens: model.context_window }),
      ...figuresOf(result.model_price),
    });
  }
  return found;
}
