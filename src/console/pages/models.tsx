import { useState } from "preact/hooks";
import { allModels } from "../models/all-models.ts";
import { columnsOf, nameOf, type Model } from "../models/columns.tsx";
import { Figures } from "../models/figures.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Check, Field } from "../parts/form.tsx";
import { There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { useQuery, type Query } from "../parts/pages.tsx";
import { Table } from "../parts/table.tsx";
import { useLoaded } from "../load.ts";
import { isOperator } from "../session.ts";
import { Catalogue } from "./catalogue.tsx";

const ModelFilters = ({ inAddress: [query, change, type] }: { inAddress: Query }) => (
  <div class="filters">
    <Field
      title="Find"
      name="find"
      value={query["find"] ?? ""}
      onInput={(find) => type({ find })}
    />
    <Check
      title="Show unavailable models"
      name="all"
      value={query["all"] === "yes"}
      onInput={(isOn) => change({ all: isOn ? "yes" : "" })}
    />
  </div>
);

export function Models({ params: { tenant } }: { params: { tenant: string } }) {
  const loading = useLoaded(`models of ${tenant}`, () => allModels(tenant));
  const inAddress = useQuery();
  const [query] = inAddress;
  const [shown, open] = useState<Model | null>(null);
  const wanted = (query["find"] ?? "").toLowerCase();
  const isAll = query["all"] === "yes";
  const matches = (model: Model): boolean =>
    (isAll || model.available) &&
    `${nameOf(model)} ${model.canonicalName ?? ""} ${model.name} ${model.aliases.join(" ")}`
      .toLowerCase()
      .includes(wanted);
  return (
    <Page
      title="Models"
      lead="Models available to this tenant: with a credential, allowed by the policy, and not stopped. Prices are per million tokens. Open a model to see the source of each figure."
    >
      <ModelFilters inAddress={inAddress} />
      <There what="models" loading={loading}>
        {(models) => (
          <Table
            name="Models"
            columns={columnsOf(open)}
            rows={models.filter(matches)}
            keyOf={nameOf}
            empty={
              isAll
                ? "No model matches this name."
                : "No models available. Add a credential of a provider."
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
          <p>
            {shown.name}. Figures are named as in the API, where you can override them. Intelligence
            and speed are graded from 1 to 5 (best).
          </p>
          <Figures model={shown} />
        </Dialog>
      )}
    </Page>
  );
}
