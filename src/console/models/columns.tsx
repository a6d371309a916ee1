import { Button } from "../parts/card.tsx";
import type { Schemas } from "../api.ts";
import { count, duration, none, usdOfPrice } from "../format.ts";
import { Badge } from "../parts/notice.tsx";
import { endingSoon } from "../../domain/models/retirement.ts";
import { fileColumn } from "../parts/columns.tsx";
import type { Column } from "../parts/table.tsx";

export type Model = Schemas["Model"];

export const nameOf = ({ provider, id }: Model): string => `${provider}/${id}`;

function conditionsOf(model: Model): string {
  const { status, outputModalities, inputUsdPerMTok, outputUsdPerMTok } = model;
  const draws = outputModalities.includes("image");
  return [
    ...(status === "preview" ? ["only if named by a hint"] : []),
    ...(draws || !outputModalities.includes("text")
      ? [`only for ${outputModalities.filter((kind) => kind !== "text").join(", ")}`]
      : []),
    ...(inputUsdPerMTok === null || outputUsdPerMTok === null
      ? ["unknown price: not used under a USD budget"]
      : []),
  ].join("; ");
}

const isEnding = (model: Model): boolean => endingSoon([model], Date.now()).length > 0;

type Name = "contextTokens" | "inputUsdPerMTok" | "outputUsdPerMTok" | "intelligence" | "speed";

const figure = (
  title: string,
  name: Name,
  format: (value: number | null) => string,
): Column<Model> => ({
  title,
  isNumber: true,
  show: ({ [name]: value, sources }) =>
    name === "intelligence" && sources.intelligence === "estimated" ? (
      <span title="Estimated from the price">~{format(value)}</span>
    ) : (
      format(value)
    ),
  text: ({ [name]: value }) => value,
});

const grade = (tier: number | null): string => (tier === null ? none : String(tier));

export const columnsOf = (open: (model: Model) => void): readonly Column<Model>[] => [
  {
    title: "Model",
    show: (model) => (
      <>
        <Button class="link" onClick={() => open(model)}>
          <code class="wraps">{nameOf(model)}</code>
        </Button>{" "}
        {!model.available && <Badge word="unavailable" />}{" "}
        {model.status !== "active" && <Badge word={model.status} />}
        {model.available && <small> {conditionsOf(model)}</small>}
      </>
    ),
    text: nameOf,
  },
  fileColumn("Available", ({ available }) => available),
  fileColumn("Status", ({ status }) => status),
  {
    title: "Takes",
    show: ({ inputModalities }) => <span class="nowrap">{inputModalities.join(", ")}</span>,
    text: ({ inputModalities }) => inputModalities.join(" "),
  },
  figure("Context", "contextTokens", count),
  figure("$ per M in", "inputUsdPerMTok", usdOfPrice),
  figure("$ per M out", "outputUsdPerMTok", usdOfPrice),
  figure("Class", "intelligence", grade),
  figure("Speed", "speed", grade),
  {
    title: "Median time",
    isNumber: true,
    isOptional: true,
    show: ({ measured }) => duration(measured?.p50Ms),
    text: ({ measured }) => measured?.p50Ms ?? null,
  },
  {
    title: "Shutdown",
    isOptional: true,
    show: (model) =>
      isEnding(model) ? (
        <Badge word={model.retiresAt ?? ""} tone="warn" />
      ) : (
        <span class="nowrap">{model.retiresAt ?? none}</span>
      ),
    text: ({ retiresAt }) => retiresAt ?? null,
  },
];

/** USD per million output tokens */
const priceBands = [1, 5, 20];

function bandOf({ outputUsdPerMTok: price }: Model): string {
  if (price === null) return "Unknown price";
  const band = priceBands.find((each) => price < each);
  return band === undefined
    ? `From $${priceBands.at(-1)} per M output tokens`
    : `Below $${band} per M output tokens`;
}

export const groups: Readonly<Record<string, (model: Model) => string>> = {
  provider: ({ provider }) => provider,
  class: ({ intelligence }) =>
    intelligence === null ? "Unknown class" : `Class ${intelligence} of 5`,
  price: bandOf,
};

const orders: Readonly<Record<string, (model: Model) => number>> = {
  class: ({ intelligence }) => -(intelligence ?? 0),
  price: ({ outputUsdPerMTok }) => outputUsdPerMTok ?? Infinity,
};

/** The first shutdown first. */
export const byShutdown = (models: readonly Model[]): readonly Model[] =>
  models.toSorted((a, b) => (a.retiresAt ?? "").localeCompare(b.retiresAt ?? ""));

export function inOrderOf(models: readonly Model[], group: string): readonly Model[] {
  const order = orders[group];
  return order === undefined ? models : models.toSorted((a, b) => order(a) - order(b) || 0);
}
