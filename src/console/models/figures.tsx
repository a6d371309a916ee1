import { isoDay } from "../../domain/calendar.ts";
import { endingSoon } from "../../domain/models/retirement.ts";
import type { Schemas } from "../api.ts";
import { compact, count, day, duration, orNone, usdInCents, usdOfPrice } from "../format.ts";
import { column, type Column } from "../parts/columns.tsx";
import { allPages } from "../parts/list-page.tsx";
import { Badge, Button, Facts, type Fact } from "../parts/page.tsx";
import { RequestsOf, type Spender } from "../parts/spend.tsx";
import { ok, type Asked } from "../problem.ts";

export type Model = Schemas["Model"];
/** This month's by name. */
export type Spending = ReadonlyMap<string, Spender>;

export const modelPages = () => allPages("/admin/v1/tenants/{tenant}/models", { limit: 1_000 });

export async function allModels(): Promise<Asked<Model[]>> {
  const asked = await modelPages();
  return asked.ok ? ok(asked.value.flatMap(({ data }) => data)) : asked;
}

export const nameOf = ({ provider, id }: Model): string => `${provider}/${id}`;

export const isEnding = ({ available, retiresAt }: Model): boolean =>
  available && typeof retiresAt === "string" && retiresAt > isoDay(Date.now());

const fraction = /(\d+)(\D*)$/;

function priceColumn(title: string, of: (model: Model) => number | null, models: readonly Model[]) {
  const decimalsOf = (model: Model): number =>
    fraction.exec(usdOfPrice(of(model)))?.[1]?.length ?? 0;
  const most = Math.max(...models.map(decimalsOf));
  // Blanks as wide as digits align the points of prices.
  const aligned = (_all: string, digits: string, rest: string): string =>
    digits.padEnd(most, "\u2007") + rest;
  return column.number(title, of, (price) => usdOfPrice(price).replace(fraction, aligned));
}

function conditionOf({ status, outputModalities }: Model): string {
  const others = outputModalities.filter((kind) => kind !== "text");
  const isOnly = outputModalities.includes("image") || !outputModalities.includes("text");
  const isNamed = status === "preview" && "only if named by a hint";
  return [isNamed, isOnly && `only for ${others.join(", ")}`].filter(Boolean).join("; ");
}

type Given = { models: readonly Model[]; spending: Spending; open: (model: Model) => void };

export const columnsOf = ({ models, spending, open }: Given): readonly Column<Model>[] => [
  {
    title: "Model",
    show: (model) => (
      <>
        <Button class="link" onClick={() => open(model)}>
          <code class="wraps">
            {model.provider}/<wbr />
            <span class="nowrap">{model.id}</span>
          </code>
        </Button>{" "}
        {!model.available && <Badge word="unavailable" />}{" "}
        {model.status !== "active" && <Badge word={model.status} />}
        {model.available && <small> {conditionOf(model)}</small>}
      </>
    ),
    text: nameOf,
  },
  column.file("Available", ({ available }) => available),
  column.file("Status", ({ status }) => status),
  column.number("Spent", (model) => spending.get(nameOf(model))?.costUsd, usdInCents),
  column.number("Requests", (model) => spending.get(nameOf(model))?.requests, count),
  priceColumn("Input price", (model) => model.inputUsdPerMTok, models),
  priceColumn("Cached input", (model) => model.cachedInputUsdPerMTok, models),
  priceColumn("Output price", (model) => model.outputUsdPerMTok, models),
  column.number("Context", ({ contextTokens }) => contextTokens, orNone(compact)),
  column.line("Takes", ({ inputModalities }) => inputModalities.join(", ")),
  {
    ...column.number("Class", ({ intelligence }) => intelligence, count),
    // `~`: estimated from the price
    show: ({ intelligence, sources }) =>
      `${sources.intelligence === "estimated" ? "~" : ""}${count(intelligence)}`,
  },
  column.number("Speed", ({ speed }) => speed, count),
  column.number("Median time", ({ measured }) => measured?.p50Ms, duration),
  {
    ...column.text("Shutdown", ({ retiresAt }) => retiresAt),
    show(model) {
      const isSoon = endingSoon([model], Date.now()).length > 0;
      return model.retiresAt && <Badge word={model.retiresAt} tone={isSoon ? "warn" : ""} />;
    },
  },
];

/** USD per million output tokens */
const priceBands = [1, 5, 20];

function bandOf({ outputUsdPerMTok: price }: Model): string {
  if (price === null) return "Unknown price";
  const band = priceBands.find((each) => price < each);
  return band === undefined ? `Output from $${priceBands.at(-1)}` : `Output below $${band}`;
}

export const groups: Readonly<Record<string, (model: Model) => string>> = {
  provider: ({ provider }) => provider,
  class: ({ intelligence }) =>
    intelligence === null ? "Unknown class" : `Class ${intelligence} of 5`,
  price: bandOf,
};

const orders: Readonly<Record<string, (model: Model) => number | string>> = {
  class: ({ intelligence }) => -(intelligence ?? 0),
  price: ({ outputUsdPerMTok }) => outputUsdPerMTok ?? Infinity,
  shutdown: ({ retiresAt }) => retiresAt ?? "",
};

/** The most used first, without another order. */
export function inOrderOf(models: readonly Model[], name: string, spending: Spending) {
  const order = orders[name] ?? ((model) => -(spending.get(nameOf(model))?.costUsd ?? -1));
  return models.toSorted((a, b) => (order(a) < order(b) ? -1 : Number(order(a) > order(b))));
}

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

/** @param spent this month */
function factsOf(model: Model, spent: Spender | undefined): Fact[] {
  const { mediaPrices = {}, reasoningControl: effort, scores = {}, measured } = model;
  const fact = (title: string, member: string, text = ""): Fact => {
    const source = (model.sources as Partial<Record<string, string>>)[member] ?? model.source;
    return text !== "" && [title, [text, <small> {sourceTexts[source] ?? source}</small>]];
  };
  const values: Readonly<Record<string, unknown>> = { ...model, ...mediaPrices };
  const name = nameOf(model);
  return [
    ["Name", model.name],
    (model.canonicalName ?? name) !== name && ["Same as", model.canonicalName],
    ["Spent this month", usdInCents(spent?.costUsd ?? 0)],
    spent !== undefined && ["Last use", day(spent.lastUsedAt)],
    ["Requests", <RequestsOf by="model" id={name} name={`Requests of ${name}`} />],
    measured !== null && [
      `Measured in ${count(measured.samples)} calls`,
      `${duration(measured.p50Ms)} (median), ${count(measured.tokensPerSecond)} tokens per second`,
    ],
    ...Object.entries(titles).map(([member, title]) => {
      const source = Object.hasOwn(mediaPrices, member) ? "mediaPrices" : member;
      return fact(title, source, textOf(member, values[member]));
    }),
    ...model.priceTiers.map(({ aboveInputTokens, inputUsdPerMTok, outputUsdPerMTok }) =>
      fact(
        `Above ${count(aboveInputTokens)} input tokens`,
        "priceTiers",
        `${usdOfPrice(inputUsdPerMTok)} in, ${usdOfPrice(outputUsdPerMTok)} out`,
      ),
    ),
    fact("Reasoning effort", "reasoning", effort?.efforts.join(", ")),
    fact("Reasoning effort by default", "reasoning", effort?.byDefault),
    ...Object.entries(scores).map(([title, score]) => fact(title, "scores", String(score))),
  ];
}

export const Figures = ({ model, spent }: { model: Model; spent: Spender | undefined }) => (
  <>
    {(model.inputUsdPerMTok === null || model.outputUsdPerMTok === null) && (
      <p>Its price is unknown, so it isn’t used under a USD budget.</p>
    )}
    <Facts of={factsOf(model, spent)} />
    <p class="faint">The API can override figures of your tenant’s models.</p>
  </>
);
