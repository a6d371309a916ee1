import { isoDay } from "../../domain/calendar.ts";
import { endingSoon } from "../../domain/models/retirement.ts";
import type { Schemas } from "../api.ts";
import { compact, count, duration, none, usdInCents, usdOfPrice } from "../format.ts";
import { fileColumn, numberColumn, type Column } from "../parts/columns.tsx";
import { Badge, Button } from "../parts/page.tsx";
import type { Spender } from "../parts/spend.tsx";

export type Model = Schemas["Model"];
/** This month's by name. */
export type Spending = ReadonlyMap<string, Spender>;
type Figure = number | null | undefined;

export const nameOf = ({ provider, id }: Model): string => `${provider}/${id}`;

export const willEnd = ({ retiresAt }: Model): boolean =>
  typeof retiresAt === "string" && retiresAt > isoDay(Date.now());

const fraction = /(\d+)(\D*)$/;
const decimalsOf = (price: Figure): number => fraction.exec(usdOfPrice(price))?.[1]?.length ?? 0;
/** Blanks as wide as digits align the points of prices. */
const alignedPrice = (price: Figure, decimals: number): string =>
  usdOfPrice(price).replace(
    fraction,
    (_all, digits: string, rest: string) => digits.padEnd(decimals, "\u2007") + rest,
  );

type PriceName = "inputUsdPerMTok" | "cachedInputUsdPerMTok" | "outputUsdPerMTok";

function priceColumn(title: string, name: PriceName, models: readonly Model[]): Column<Model> {
  const decimals = Math.max(...models.map(({ [name]: price }) => decimalsOf(price)));
  return numberColumn(
    title,
    ({ [name]: price }) => price,
    (price) => alignedPrice(price, decimals),
  );
}

function conditionOf({ status, outputModalities }: Model): string {
  const others = outputModalities.filter((kind) => kind !== "text");
  const isOnly = outputModalities.includes("image") || !outputModalities.includes("text");
  return [
    ...(status === "preview" ? ["only if named by a hint"] : []),
    ...(isOnly ? [`only for ${others.join(", ")}`] : []),
  ].join("; ");
}

/** Breaks only after the provider. */
const Name = ({ provider, id }: Model) => (
  <code class="wraps">
    {provider}/<wbr />
    <span class="nowrap">{id}</span>
  </code>
);

type Given = { models: readonly Model[]; spending: Spending; open: (model: Model) => void };

export const columnsOf = ({ models, spending, open }: Given): readonly Column<Model>[] => [
  {
    title: "Model",
    show: (model) => (
      <>
        <Button class="link" onClick={() => open(model)}>
          <Name {...model} />
        </Button>{" "}
        {!model.available && <Badge word="unavailable" />}{" "}
        {model.status !== "active" && <Badge word={model.status} />}
        {model.available && <small> {conditionOf(model)}</small>}
      </>
    ),
    text: nameOf,
  },
  fileColumn("Available", ({ available }) => available),
  fileColumn("Status", ({ status }) => status),
  numberColumn("Spent", (model) => spending.get(nameOf(model))?.costUsd, usdInCents),
  numberColumn("Requests", (model) => spending.get(nameOf(model))?.requests, count),
  priceColumn("Input price", "inputUsdPerMTok", models),
  { ...priceColumn("Cached input", "cachedInputUsdPerMTok", models), isWide: true },
  priceColumn("Output price", "outputUsdPerMTok", models),
  numberColumn(
    "Context",
    ({ contextTokens }) => contextTokens,
    (tokens) => (typeof tokens === "number" ? compact(tokens) : none),
  ),
  {
    title: "Takes",
    isWide: true,
    show: ({ inputModalities }) => <span class="nowrap">{inputModalities.join(", ")}</span>,
    text: ({ inputModalities }) => inputModalities.join(" "),
  },
  {
    ...numberColumn("Class", ({ intelligence }) => intelligence, count),
    show: ({ intelligence, sources }) =>
      sources.intelligence === "estimated" ? (
        <span title="Estimated from the price">~{count(intelligence)}</span>
      ) : (
        count(intelligence)
      ),
  },
  { ...numberColumn("Speed", ({ speed }) => speed, count), isWide: true },
  { ...numberColumn("Median time", ({ measured }) => measured?.p50Ms, duration), isWide: true },
  {
    title: "Shutdown",
    isOptional: true,
    show: (model) => (
      <span class="nowrap">
        {endingSoon([model], Date.now()).length > 0 ? (
          <Badge word={model.retiresAt ?? ""} tone="warn" />
        ) : (
          (model.retiresAt ?? none)
        )}
      </span>
    ),
    text: ({ retiresAt }) => retiresAt ?? null,
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
