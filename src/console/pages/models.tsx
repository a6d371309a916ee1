/** The catalogue as a tenant sees it, and where each figure comes from. */
import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { count, duration, usd } from "../format.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Check, Field } from "../parts/form.tsx";
import { Badge, There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { useQuery } from "../parts/pages.tsx";
import { Table, type Column } from "../parts/table.tsx";
import type { Asked } from "../problem.ts";
import { useLoaded } from "../load.ts";
import { isOperator } from "../session.ts";
import { Catalogue } from "./catalogue.tsx";

type Model = Schemas["Model"];

const nameOf = ({ provider, id }: Model): string => `${provider}/${id}`;

/** The whole catalogue: some hundred models, in parts of 200. */
async function allModels(tenant: string): Promise<Asked<Model[]>> {
  const models: Model[] = [];
  let cursor: string | null = null;
  do {
    const page: Asked<{ data: Model[]; nextCursor: string | null }> = await asked(
      api.GET("/admin/v1/tenants/{tenant}/models", {
        params: { path: { tenant }, query: { limit: 200, ...(cursor !== null && { cursor }) } },
      }),
    );
    if (!page.ok) return page;
    models.push(...page.value.data);
    cursor = page.value.nextCursor;
  } while (cursor !== null);
  return { ok: true, value: models, tag: null };
}

const columnsOf = (open: (model: Model) => void): Column<Model>[] => [
  {
    title: "Model",
    show: (model) => (
      <button type="button" class="link" onClick={() => open(model)}>
        <code>{nameOf(model)}</code>
      </button>
    ),
    text: nameOf,
  },
  {
    title: "Now",
    show: ({ available }) =>
      available ? <Badge word="can be chosen" tone="good" /> : <Badge word="out of reach" />,
    text: ({ available }) => available,
  },
  { title: "Status", show: ({ status }) => <Badge word={status} />, text: ({ status }) => status },
  {
    title: "In",
    show: ({ inputModalities }) => inputModalities.join(", "),
    text: ({ inputModalities }) => inputModalities.join(" "),
  },
  {
    title: "Context",
    isNumber: true,
    show: ({ contextTokens }) => count(contextTokens),
    text: ({ contextTokens }) => contextTokens,
  },
  {
    title: "USD per M in",
    isNumber: true,
    show: ({ inputUsdPerMTok }) => usd(inputUsdPerMTok),
    text: ({ inputUsdPerMTok }) => inputUsdPerMTok,
  },
  {
    title: "USD per M out",
    isNumber: true,
    show: ({ outputUsdPerMTok }) => usd(outputUsdPerMTok),
    text: ({ outputUsdPerMTok }) => outputUsdPerMTok,
  },
  {
    title: "Intelligence",
    isNumber: true,
    show: ({ intelligence }) => intelligence ?? "–",
    text: ({ intelligence }) => intelligence,
  },
  {
    title: "Speed",
    isNumber: true,
    show: ({ speed }) => speed ?? "–",
    text: ({ speed }) => speed,
  },
  {
    title: "Measured p50",
    isNumber: true,
    show: ({ measured }) => duration(measured?.p50Ms),
    text: ({ measured }) => measured?.p50Ms ?? null,
  },
];

const shownOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? "unknown");

/** Each figure with who said it. */
function Figures({ model }: { model: Model }) {
  const { sources, source, measured, available: _, ...figures } = model;
  const from = sources as Partial<Record<string, string>>;
  return (
    <div class="frame" role="region" aria-label="Figures" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Figure</th>
            <th scope="col">Value</th>
            <th scope="col">Comes from</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(figures).map(([name, value]) => (
            <tr key={name}>
              <td>{name}</td>
              <td>
                <code>{shownOf(value)}</code>
              </td>
              <td>{from[name] ?? source}</td>
            </tr>
          ))}
          {measured !== null && (
            <tr>
              <td>measured</td>
              <td>
                {duration(measured.p50Ms)} (p50), {Math.round(measured.tokensPerSecond)} tokens/s
              </td>
              <td>this router, {measured.samples} calls</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

export function Models({ params: { tenant } }: { params: { tenant: string } }) {
  const loading = useLoaded(`models of ${tenant}`, () => allModels(tenant));
  const [query, change] = useQuery();
  const [shown, open] = useState<Model | null>(null);
  const wanted = (query["find"] ?? "").toLowerCase();
  const isAll = query["all"] === "yes";
  const matches = (model: Model): boolean =>
    (isAll || model.available) &&
    `${nameOf(model)} ${model.name} ${model.aliases.join(" ")}`.toLowerCase().includes(wanted);
  return (
    <Page
      title="Models"
      lead="What this tenant can choose from. A model opens with its figures and where each comes from."
    >
      <div class="filters">
        <Field
          title="Find"
          name="find"
          value={query["find"] ?? ""}
          onInput={(find) => change({ find })}
        />
        <Check
          title="Also those that can’t be chosen now"
          name="all"
          value={isAll}
          onInput={(isOn) => change({ all: isOn ? "yes" : "" })}
        />
      </div>
      <There what="models" loading={loading}>
        {(models) => (
          <Table
            name="Models"
            columns={columnsOf(open)}
            rows={models.filter(matches)}
            keyOf={nameOf}
            empty={
              isAll
                ? "No model of the catalogue has this name."
                : "No model can be chosen now. A credential makes its provider’s models choosable."
            }
          />
        )}
      </There>
      {isOperator.value && (
        <div class="stack">
          <div />
          <Catalogue onSynced={() => void loading.again()} />
        </div>
      )}
      {shown !== null && (
        <Dialog title={nameOf(shown)} onClose={() => open(null)} isDrawer>
          <p>{shown.name}</p>
          <Figures model={shown} />
        </Dialog>
      )}
    </Page>
  );
}
