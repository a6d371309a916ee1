import { useState } from "preact/hooks";
import { endingSoon } from "../../domain/models/retirement.ts";
import { api, type Schemas } from "../api.ts";
import { few, time } from "../format.ts";
import { useLoaded, useRead } from "../load.ts";
import {
  columnsOf,
  Figures,
  groups,
  inOrderOf,
  modelPages,
  nameOf,
  isEnding,
  type Model,
  type Spending,
} from "../models/figures.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Fields, Form } from "../parts/form.tsx";
import { NoMatch, useQuery } from "../parts/list-page.tsx";
import { Button, Page, There } from "../parts/page.tsx";
import { useSpending } from "../parts/spend.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath } from "../place.ts";
import { isOperator } from "../session.ts";

const isUsed = (model: Model, spending: Spending): boolean => spending.has(nameOf(model));

type Choice = readonly [name: string, title: string, isShown: typeof isUsed];
const choices: readonly [Choice, ...Choice[]] = [
  ["", "available", ({ available }) => available],
  ["used", "in use this month", isUsed],
  ["ending", "with a shutdown date", isEnding],
  ["all", "all, with retired and unavailable ones", () => true],
];

const filters = [
  { name: "find", title: "Find" },
  { name: "show", title: "Show", options: choices.map(([name, title]) => [name, title] as const) },
  {
    name: "group",
    title: "Group by",
    options: ["", ...Object.keys(groups)].map((name) => [name, name || "nothing"] as const),
  },
] as const;

const isNamed = (model: Model, text: string): boolean =>
  [nameOf(model), model.canonicalName, model.name, ...model.aliases].some((name) =>
    name?.toLowerCase().includes(text),
  );

type Known = { models: readonly Model[]; spending: Spending; day: string | undefined };

/** Of the models that can be selected now. */
function Shutdowns({ models, spending, day }: Known) {
  const ending = inOrderOf(models.filter(isEnding), "shutdown", spending);
  if (!models.some((model) => model.available)) return null;
  const named = ending.map(
    (model) =>
      `${nameOf(model)} on ${model.retiresAt ?? ""}${isUsed(model, spending) ? " (in use)" : ""}`,
  );
  return (
    <p class={endingSoon(ending, Date.now()).length > 0 ? "notice warn" : ""} role="status">
      {ending.length > 0
        ? [<strong>Announced shutdowns:</strong>, ` ${few(named)}.`]
        : `No available model has an announced shutdown date, as of ${day}.`}
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

function ModelTable(known: Known) {
  const { models, spending, day } = known;
  const [{ find = "", group = "", show = "" }, change, type] = useQuery();
  const [opened, open] = useState<Model | null>(null);
  const [shown, title, isShown] = choices.find(([name]) => name === show) ?? choices[0];
  const matching = models.filter(
    (model) => isShown(model, spending) && isNamed(model, find.toLowerCase()),
  );
  const groupOf = groups[group];
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
            <p>
              {find === "" ? `No models ${title}.` : <NoMatch clear={() => change({ find: "" })} />}
            </p>
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
      <p class="faint">Prices, limits, and shutdown dates of the catalogue of {day}.</p>
      {opened !== null && (
        <Dialog title={nameOf(opened)} onClose={() => open(null)} isDrawer>
          <Figures model={opened} spent={spending.get(nameOf(opened))} />
        </Dialog>
      )}
    </>
  );
}

export function Models() {
  const loading = useLoaded("models", modelPages);
  const spending = useSpending("model");
  const [isCatalogue, setCatalogue] = useState(false);
  return (
    <Page
      title="Models"
      lead="Models that your credentials and the policy allow, with this month’s spend. Prices are per million tokens. Class (intelligence) and speed are graded from 1 to 5 (best)."
    >
      <div class="stack">
        <There what="models" loading={loading}>
          {(pages) => (
            <ModelTable
              models={pages.flatMap(({ data }) => data)}
              spending={spending}
              day={pages[0]?.catalogueVersion.split(".")[0]}
            />
          )}
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
