import type { Schemas } from "../api.ts";
import { count, duration, none, usd } from "../format.ts";
import { Badge } from "../parts/notice.tsx";
import { endingSoon } from "../../domain/models/retirement.ts";
import type { Column } from "../parts/table.tsx";

export type Model = Schemas["Model"];

export const nameOf = ({ provider, id }: Model): string => `${provider}/${id}`;

function conditionsOf(model: Model): string[] {
  const { status, outputModalities, inputUsdPerMTok, outputUsdPerMTok } = model;
  const draws = outputModalities.includes("image");
  return [
    ...endingSoon([model], Date.now()).map(({ retiresAt }) => `shut down on ${retiresAt ?? ""}`),
    ...(status === "preview" ? ["only if named by a hint"] : []),
    ...(draws || !outputModalities.includes("text")
      ? [`only for ${outputModalities.filter((kind) => kind !== "text").join(", ")}`]
      : []),
    ...(inputUsdPerMTok === null || outputUsdPerMTok === null
      ? ["unknown price: not used under a USD budget"]
      : []),
  ];
}

const gradeOf = (tier: number | null): string => (tier === null ? none : `${tier} of 5`);

const figures: Column<Model>[] = [
  {
    title: "Context",
    isNumber: true,
    order: ({ contextTokens }) => contextTokens,
    show: ({ contextTokens }) => count(contextTokens),
    text: ({ contextTokens }) => contextTokens,
  },
  {
    title: "USD per M in",
    isNumber: true,
    order: ({ inputUsdPerMTok }) => inputUsdPerMTok,
    show: ({ inputUsdPerMTok }) => usd(inputUsdPerMTok),
    text: ({ inputUsdPerMTok }) => inputUsdPerMTok,
  },
  {
    title: "USD per M out",
    isNumber: true,
    order: ({ outputUsdPerMTok }) => outputUsdPerMTok,
    show: ({ outputUsdPerMTok }) => usd(outputUsdPerMTok),
    text: ({ outputUsdPerMTok }) => outputUsdPerMTok,
  },
  {
    title: "Intelligence",
    isNumber: true,
    order: ({ intelligence }) => intelligence,
    show: ({ intelligence, sources: { intelligence: from } }) =>
      gradeOf(intelligence) + (from === "estimated" ? " (estimated)" : ""),
    text: ({ intelligence }) => intelligence,
  },
  {
    title: "Speed",
    isNumber: true,
    order: ({ speed }) => speed,
    show: ({ speed }) => gradeOf(speed),
    text: ({ speed }) => speed,
  },
  {
    title: "Took (median)",
    isNumber: true,
    order: ({ measured }) => measured?.p50Ms ?? null,
    show: ({ measured }) => duration(measured?.p50Ms),
    text: ({ measured }) => measured?.p50Ms ?? null,
  },
];

export const columnsOf = (open: (model: Model) => void): Column<Model>[] => [
  {
    title: "Model",
    order: nameOf,
    show: (model) => (
      <button type="button" class="link nowrap" onClick={() => open(model)}>
        <code>{nameOf(model)}</code>
      </button>
    ),
    text: nameOf,
  },
  {
    title: "Now",
    show: (model) => (
      <>
        {model.available ? <Badge word="available" tone="good" /> : <Badge word="unavailable" />}{" "}
        {model.status !== "active" && <Badge word={model.status} />}
        {model.available && <div class="faint">{conditionsOf(model).join("; ")}</div>}
      </>
    ),
    text: ({ available }) => available,
  },
  { title: "Status", show: () => null, text: ({ status }) => status, isFileOnly: true },
  {
    title: "Takes",
    show: ({ inputModalities }) => <span class="nowrap">{inputModalities.join(", ")}</span>,
    text: ({ inputModalities }) => inputModalities.join(" "),
  },
  ...figures,
];
