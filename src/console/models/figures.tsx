import { count, day, duration, usdInCents, usdOfPrice } from "../format.ts";
import { RequestsOf, type Spender } from "../parts/spend.tsx";
import { Table } from "../parts/table.tsx";
import { nameOf, type Model } from "./columns.tsx";

const sourceTexts: Readonly<Record<string, string>> = {
  catalogue: "built-in",
  seed: "built-in",
  unverified: "built-in, unconfirmed",
  estimated: "from the price",
  provider: "provider’s list",
  credential: "credential",
  override: "your override",
};

/** By member of the model or of its `mediaPrices`. */
const titles: Readonly<Record<string, string>> = {
  inputUsdPerMTok: "Input, per million tokens",
  cachedInputUsdPerMTok: "Cached input, per million tokens",
  cacheWriteUsdPerMTok: "Cache write, per million tokens",
  cacheWriteHourUsdPerMTok: "Cache write for an hour",
  audioInputUsdPerMTok: "Audio input, per million tokens",
  cachedAudioInputUsdPerMTok: "Cached audio input, per million tokens",
  outputUsdPerMTok: "Output, per million tokens",
  imageInputUsdPerMTok: "Image input, per million tokens",
  imageOutputUsdPerMTok: "Image output, per million tokens",
  usdPerImage: "Image",
  usdPerAudioMinute: "Minute of audio",
  usdPerMCharacters: "Million characters",
  aliases: "Also called",
  status: "Status",
  releasedAt: "Released",
  retiresAt: "Shutdown",
  inputModalities: "Takes",
  outputModalities: "Produces",
  contextTokens: "Context, tokens",
  outputTokens: "Longest answer, tokens",
  intelligence: "Class (intelligence), 1 to 5",
  speed: "Speed, 1 to 5",
  tools: "Uses tools",
  temperature: "Accepts a temperature",
  prefill: "Continues a started answer",
  reasoning: "Reasons",
};

function textOf(member: string, value: unknown): string {
  if (value === null) return "unknown";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return /usd/i.test(member) ? usdOfPrice(value) : count(value);
  return Array.isArray(value) ? value.join(", ") : typeof value === "string" ? value : "";
}

type Row = readonly [title: string, member: string, text: string];

function rowsOf(model: Model): Row[] {
  const { priceTiers, mediaPrices, reasoningControl: effort, scores = {} } = model;
  const values: Readonly<Record<string, unknown>> = { ...model, ...mediaPrices };
  const rows: Row[] = [
    ...Object.entries(titles).map(([member, title]): Row => {
      const isMedia = Object.hasOwn(mediaPrices ?? {}, member);
      return [title, isMedia ? "mediaPrices" : member, textOf(member, values[member])];
    }),
    ...priceTiers.map((tier): Row => {
      const { aboveInputTokens: above, inputUsdPerMTok, outputUsdPerMTok } = tier;
      const text = `${usdOfPrice(inputUsdPerMTok)} in, ${usdOfPrice(outputUsdPerMTok)} out`;
      return [`Above ${count(above)} input tokens`, "priceTiers", text];
    }),
    ["Reasoning effort", "reasoning", effort?.efforts.join(", ") ?? ""],
    ["Reasoning effort by default", "reasoning", effort?.byDefault ?? ""],
    ...Object.entries(scores).map(([title, score]): Row => [title, "scores", String(score)]),
  ];
  return rows.filter(([, , text]) => text !== "");
}

/** @param spent this month */
export function Figures({ model, spent }: { model: Model; spent: Spender | undefined }) {
  const { name, source, measured, canonicalName, inputUsdPerMTok, outputUsdPerMTok } = model;
  const sourceOf = (member: string): string => {
    const found = (model.sources as Partial<Record<string, string>>)[member] ?? source;
    return sourceTexts[found] ?? found;
  };
  return (
    <>
      <p>
        {name}.{" "}
        {canonicalName !== nameOf(model) && canonicalName && `The same as ${canonicalName}. `}
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
      <Table
        name="Figures"
        columns={[
          { title: "Figure", text: ([title]: Row) => title },
          { title: "Value", text: ([, , text]) => text },
          { title: "Source", text: ([, member]) => sourceOf(member) },
        ]}
        rows={rowsOf(model)}
        keyOf={([title]) => title}
        empty=""
      />
      <p class="faint">The API can override figures of your tenant’s models.</p>
    </>
  );
}
