import { count, day, duration, usdInCents, usdOfPrice } from "../format.ts";
import { RequestsOf, type Spender } from "../parts/spend.tsx";
import { nameOf, type Model } from "./columns.tsx";

const sourceTexts: Readonly<Record<string, string>> = {
  catalogue: "built-in catalogue",
  seed: "built-in catalogue",
  unverified: "built-in catalogue, not confirmed by the provider",
  estimated: "estimated from the price",
  provider: "the provider’s list of models",
  credential: "the credential",
  override: "your override",
};

type Value = string | number | boolean | readonly string[] | null | undefined;
/** of the API's member, from which the source is */
type Row = readonly [title: string, member: string, value: Value];

function textOf(value: Exclude<Value, undefined>): string {
  if (value === null) return "unknown";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return count(value);
  return typeof value === "string" ? value : value.join(", ");
}

const price = (usd: number | null | undefined): Value =>
  typeof usd === "number" ? `${usdOfPrice(usd)} per million` : usd;

function pricesOf(model: Model): Row[] {
  const { priceTiers, mediaPrices: media = {} } = model;
  const { usdPerImage, usdPerAudioMinute, usdPerMCharacters } = media;
  return [
    ["Input tokens", "inputUsdPerMTok", price(model.inputUsdPerMTok)],
    ["Cached input tokens", "cachedInputUsdPerMTok", price(model.cachedInputUsdPerMTok)],
    ["Input written to the cache", "cacheWriteUsdPerMTok", price(model.cacheWriteUsdPerMTok)],
    ["The same, for an hour", "cacheWriteHourUsdPerMTok", price(model.cacheWriteHourUsdPerMTok)],
    ["Audio input tokens", "audioInputUsdPerMTok", price(model.audioInputUsdPerMTok)],
    ["Cached audio tokens", "cachedAudioInputUsdPerMTok", price(model.cachedAudioInputUsdPerMTok)],
    ["Output tokens", "outputUsdPerMTok", price(model.outputUsdPerMTok)],
    ...priceTiers.map((tier): Row => {
      const { aboveInputTokens, inputUsdPerMTok: input, outputUsdPerMTok: output } = tier;
      const title = `Above ${count(aboveInputTokens)} input tokens`;
      return [
        title,
        "priceTiers",
        `${usdOfPrice(input)} in, ${usdOfPrice(output)} out per million`,
      ];
    }),
    ["Image input tokens", "mediaPrices", price(media.imageInputUsdPerMTok)],
    ["Image output tokens", "mediaPrices", price(media.imageOutputUsdPerMTok)],
    ["An image", "mediaPrices", usdPerImage && usdOfPrice(usdPerImage)],
    ["A minute of audio", "mediaPrices", usdPerAudioMinute && usdOfPrice(usdPerAudioMinute)],
    ["Characters", "mediaPrices", price(usdPerMCharacters)],
  ];
}

function rowsOf(model: Model): Row[] {
  const { reasoning, reasoningControl: control, scores = {} } = model;
  const efforts = control && `${control.efforts.join(", ")} (default: ${control.byDefault})`;
  return [
    ["Also called", "aliases", model.aliases],
    ["Status", "status", model.status],
    ["Released", "releasedAt", model.releasedAt],
    ["Shutdown", "retiresAt", model.retiresAt],
    ["Takes", "inputModalities", model.inputModalities],
    ["Produces", "outputModalities", model.outputModalities],
    ["Context, tokens", "contextTokens", model.contextTokens],
    ["Longest answer, tokens", "outputTokens", model.outputTokens],
    ...pricesOf(model),
    ["Class (intelligence), 1 to 5", "intelligence", model.intelligence],
    ["Speed, 1 to 5", "speed", model.speed],
    ["Uses tools", "tools", model.tools],
    ["Accepts a temperature", "temperature", model.temperature],
    ["Continues a started answer", "prefill", model.prefill],
    ["Reasoning effort", "reasoning", efforts ?? reasoning],
    ...Object.entries(scores).map(([title, score]): Row => [title, "scores", String(score)]),
  ];
}

/** @param spent this month */
export function Figures({ model, spent }: { model: Model; spent: Spender | undefined }) {
  const { source, measured, canonicalName, inputUsdPerMTok, outputUsdPerMTok } = model;
  const sources = model.sources as Partial<Record<string, string>>;
  return (
    <>
      <p>
        {model.name}.{" "}
        {canonicalName !== null && canonicalName !== nameOf(model) && `It is ${canonicalName}. `}
        {spent === undefined ? (
          "Not used this month."
        ) : (
          <>
            This month: {usdInCents(spent.costUsd)}, last used on {day(spent.lastUsedAt)}.{" "}
            <RequestsOf by="model" id={nameOf(model)} name={`${count(spent.requests)} requests`} />
          </>
        )}
      </p>
      {(inputUsdPerMTok === null || outputUsdPerMTok === null) && (
        <p>Its price is unknown, so it isn’t used under a USD budget.</p>
      )}
      {measured !== null && (
        <p>
          Measured in {count(measured.samples)} calls: {duration(measured.p50Ms)} (median),{" "}
          {count(measured.tokensPerSecond)} tokens per second.
        </p>
      )}
      <div class="frame" role="region" aria-label="Figures" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <th scope="col">Value</th>
              <th scope="col">Source</th>
            </tr>
          </thead>
          <tbody>
            {rowsOf(model).map(([title, member, value]) =>
              value === undefined || textOf(value) === "" ? null : (
                <tr key={title}>
                  <td>{title}</td>
                  <td>{textOf(value)}</td>
                  <td class="faint">
                    {sourceTexts[sources[member] ?? source] ?? sources[member] ?? source}
                  </td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
      <p class="faint">The API can override figures of your tenant’s models.</p>
    </>
  );
}
