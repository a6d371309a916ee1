import { useState } from "preact/hooks";
import { endingSoon } from "../../domain/models/retirement.ts";
import { api, type Schemas } from "../api.ts";
import { time } from "../format.ts";
import { useLoaded, useRead } from "../load.ts";
import {
  columnsOf,
  Figures,
  groups,
  inOrderOf,
  modelPages,
  nameOf,
  willEnd,
  type Model,
  type Spending,
} from "../models/figures.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Fields, Form } from "../parts/form.tsx";
import { NoMatch, useQuery } from "../parts/list-page.tsx";
import { Button, Page, There } from "../parts/page.tsx";
import { topUsage } from "../parts/spend.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath } from "../place.ts";
import { ok, type Asked } from "../problem.ts";
import { isOperator } from "../session.ts";

const choices = [
  ["", "available"],
  ["used", "in use this month"],
  ["ending", "with a shutdown date"],
  ["all", "all, with retired and unavailable ones"],
] as const;
type Shown = (typeof choices)[number][0];

const filters = [
  { name: "find", title: "Find" },
  { name: "show", title: "Show", options: choices },
  {
    name: "group",
    title: "Group by",
    options: ["", ...Object.keys(groups)].map((name) => [name, name || "nothing"] as const),
  },
] as const;

const isShown = (model: Model, shown: Shown, spending: Spending): boolean =>
  ({
    "": model.available,
    used: spending.has(nameOf(model)),
    ending: model.available && willEnd(model),
    all: true,
  })[shown];

const isNamed = (model: Model, text: string): boolean =>
  [nameOf(model), model.canonicalName, model.name, ...model.aliases].some((name) =>
    name?.toLowerCase().includes(text),
  );

const dayIn = (catalogueVersion: string): string => catalogueVersion.split(".")[0] ?? "";

const maxNamed = 5;

/** Of the models that can be selected now. */
function Shutdowns({ models, spending, catalogueVersion }: Known) {
  const available = models.filter((model) => model.available);
  const ending = inOrderOf(available.filter(willEnd), "shutdown", spending);
  if (available.length === 0) return null;
  if (ending.length === 0)
    return (
      <p>
        None of the {available.length} available models has an announced shutdown date, as of{" "}
        {dayIn(catalogueVersion)}.
      </p>
    );
  const named = ending.slice(0, maxNamed).map((model) => {
    const isUsed = spending.has(nameOf(model));
    return `${nameOf(model)} on ${model.retiresAt ?? ""}${isUsed ? " (in use)" : ""}`;
  });
  const more = ending.length - maxNamed;
  return (
    <p class={endingSoon(ending, Date.now()).length > 0 ? "notice warn" : ""} role="status">
      <strong>Announced shutdowns:</strong> {named.join(", ")}
      {more > 0 && ` and ${more} more`}.
    </p>
  );
}

function syncText({ state, changes, fault }: Schemas["CatalogueSync"]): string {
  if (state === "refused")
    return `The file was rejected: ${fault ?? "it contains no usable models"}`;
  if (state === "unchanged" || changes === undefined) return "No changes.";
  const { added, retired, repriced } = changes;
  return `Added: ${added.length}, retired: ${retired.length}, new prices: ${repriced.length}.`;
}

function Catalogue({ onSynced }: { onSynced: () => Promise<void> }) {
  const loading = useRead("/admin/v1/catalogue");
  const [found, setFound] = useState<string | null>(null);
  const sync = async () => {
    const synced = await api.POST("/admin/v1/catalogue/sync");
    setFound(synced.ok ? syncText(synced.value) : null);
    await Promise.all([loading.again(), onSynced()]);
    return synced;
  };
  return (
    <Form submit="Sync now" act={sync}>
      <There what="the catalogue" loading={loading}>
        {({ version, models, syncedAt, fault }) => (
          <p>
            Version {version} with {models} models,{" "}
            {syncedAt === null ? "included in the router" : `synced on ${time(syncedAt)}`}.
            {fault !== null && ` The last file was rejected: ${fault}`}
          </p>
        )}
      </There>
      {found !== null && <p role="status">{found}</p>}
    </Form>
  );
}

type Known = { models: readonly Model[]; spending: Spending; catalogueVersion: string };

async function knownModels(): Promise<Asked<Known>> {
  const [models, top] = await Promise.all([
    modelPages(),
    topUsage({ by: ["model"], limit: 1_000 }),
  ]);
  if (!models.ok) return models;
  if (!top.ok) return top;
  const spending = new Map(top.value.data.map((row) => [row.group, row]));
  const [{ catalogueVersion } = { catalogueVersion: "" }] = models.value;
  return ok({ models: models.value.flatMap(({ data }) => data), spending, catalogueVersion });
}

function ModelTable(known: Known) {
  const { models, spending, catalogueVersion } = known;
  const [{ find = "", group = "", show }, change, type] = useQuery();
  const [opened, open] = useState<Model | null>(null);
  const [shown] = choices.find(([each]) => each === show) ?? choices[0];
  const groupOf = groups[group];
  const matching = models.filter(
    (model) => isShown(model, shown, spending) && isNamed(model, find.toLowerCase()),
  );
  const nothing = {
    "": "No models available.",
    used: "No model was used this month.",
    ending: "All models include those that were shut down.",
    all: "No models.",
  };
  return (
    <>
      <div class="filters">
        <Fields
          of={filters}
          draft={{ find, show: shown, group }}
          change={(changes) => ("find" in changes ? type : change)(changes)}
        />
      </div>
      <Shutdowns {...known} />
      <Table
        name="Models"
        columns={columnsOf({ models, spending, open })}
        rows={inOrderOf(matching, shown === "ending" ? "shutdown" : group, spending)}
        keyOf={nameOf}
        isShown={(_model, at) => at < 50}
        {...(groupOf && { groupOf })}
        empty={
          <>
            <p>{find === "" ? nothing[shown] : <NoMatch clear={() => change({ find: "" })} />}</p>
            {!models.some((model) => model.available) && (
              <a class="button" href={ownPath("/credentials")}>
                Add a credential of a provider
              </a>
            )}{" "}
            {shown !== "all" && (
              <Button onClick={() => change({ show: "all" })}>Show all models</Button>
            )}
          </>
        }
      />
      <p class="faint">
        Prices, limits, and shutdown dates of the catalogue of {dayIn(catalogueVersion)}.
      </p>
      {opened !== null && (
        <Dialog title={nameOf(opened)} onClose={() => open(null)} isDrawer>
          <Figures model={opened} spent={spending.get(nameOf(opened))} />
        </Dialog>
      )}
    </>
  );
}

export function Models() {
  const loading = useLoaded("models", knownModels);
  const [isCatalogue, setCatalogue] = useState(false);
  return (
    <Page
      title="Models"
      lead="Models that your credentials and the policy allow, with this month’s spend. Prices are per million tokens. Class (intelligence) and speed are graded from 1 to 5 (best)."
    >
      <div class="stack">
        <There what="models" loading={loading}>
          {(known) => <ModelTable {...known} />}
        </There>
        {isOperator.value && (
          <details class="card" onToggle={({ currentTarget }) => setCatalogue(currentTarget.open)}>
            <summary>Catalogue of all tenants</summary>
            {isCatalogue && <Catalogue onSynced={loading.again} />}
          </details>
        )}
      </div>
    </Page>
  );
}
