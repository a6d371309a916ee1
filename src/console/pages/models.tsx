import { useState } from "preact/hooks";
import { endingSoon } from "../../domain/models/retirement.ts";
import { allModels } from "../models/all-models.ts";
import {
  byShutdown,
  columnsOf,
  groups,
  inOrderOf,
  nameOf,
  type Model,
} from "../models/columns.tsx";
import { Figures } from "../models/figures.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Check, Choice, Field } from "../parts/form.tsx";
import { There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { useQuery, type Query } from "../parts/pages.tsx";
import { Table } from "../parts/table.tsx";
import { useLoaded } from "../load.ts";
import { isOperator } from "../session.ts";
import { Catalogue } from "./catalogue.tsx";

const groupings = [
  ["", "nothing"],
  ["provider", "provider"],
  ["class", "class"],
  ["price", "price"],
] as const;

const ModelFilters = ({ inAddress: [query, change, type] }: { inAddress: Query }) => (
  <div class="filters">
    <Field
      title="Find"
      name="find"
      value={query["find"] ?? ""}
      onInput={(find) => type({ find })}
    />
    <Choice
      title="Group by"
      name="group"
      value={groupings.find(([each]) => each === query["group"])?.[0] ?? ""}
      options={groupings}
      onInput={(group) => change({ group })}
    />
    <Check
      title="With a shutdown date"
      name="ending"
      value={query["ending"] === "yes"}
      onInput={(isOn) => change({ ending: isOn ? "yes" : "" })}
    />
    <Check
      title="Show unavailable models"
      name="all"
      value={query["all"] === "yes"}
      onInput={(isOn) => change({ all: isOn ? "yes" : "" })}
    />
  </div>
);

const maxNamed = 5;

/** Of the models that can be selected now. */
function EndingSoon({ models }: { models: readonly Model[] }) {
  const ending = endingSoon(
    models.filter(({ available }) => available),
    Date.now(),
  );
  if (ending.length === 0)
    return <p class="over faint">No available model has a shutdown date within 30 days.</p>;
  const more = ending.length - maxNamed;
  return (
    <p class="notice warn" role="status">
      <strong>Shut down within 30 days:</strong>{" "}
      {ending
        .slice(0, maxNamed)
        .map((model) => `${nameOf(model)} on ${model.retiresAt ?? ""}`)
        .join(", ")}
      {more > 0 && ` and ${more} more`}.
    </p>
  );
}

export function Models() {
  const loading = useLoaded(`models`, () => allModels());
  const inAddress = useQuery();
  const [query] = inAddress;
  const [shown, open] = useState<Model | null>(null);
  const wanted = (query["find"] ?? "").toLowerCase();
  const isAll = query["all"] === "yes";
  const isEnding = query["ending"] === "yes";
  const group = query["group"] ?? "";
  const groupOf = groups[group];
  const matches = (model: Model): boolean =>
    (isAll || model.available) &&
    (!isEnding || typeof model.retiresAt === "string") &&
    `${nameOf(model)} ${model.canonicalName ?? ""} ${model.name} ${model.aliases.join(" ")}`
      .toLowerCase()
      .includes(wanted);
  return (
    <Page
      title="Models"
      lead="Models available to this tenant: with a credential, allowed by the policy, and not stopped. Class (intelligence) and speed are graded from 1 to 5 (best). Open a model to see the source of each figure."
    >
      <There what="models" loading={loading}>
        {(models) => (
          <>
            <ModelFilters inAddress={inAddress} />
            <EndingSoon models={models} />
            <Table
              name="Models"
              columns={columnsOf(open)}
              rows={inOrderOf(
                isEnding ? byShutdown(models.filter(matches)) : models.filter(matches),
                group,
              )}
              keyOf={nameOf}
              {...(groupOf !== undefined && { groupOf })}
              empty={
                isAll || wanted !== "" || isEnding
                  ? `No matching ${isAll ? "" : "available "}models.`
                  : "No models available. Add a credential of a provider."
              }
            />
          </>
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
          <p>{shown.name}. You can override figures by the API.</p>
          <Figures model={shown} />
        </Dialog>
      )}
    </Page>
  );
}
