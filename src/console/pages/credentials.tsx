import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Badge } from "../parts/notice.tsx";
import { ListPage, type Ends } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import type { Asked } from "../problem.ts";
import { mayChange } from "../session.ts";
import { CheckResult, checkCredential, type Check } from "./credential-check.tsx";
import { later } from "../later.tsx";

const forms = () => import("./credential-forms.tsx");
const NewCredential = later(async () => (await forms()).NewCredential);
const ChangeCredential = later(async () => (await forms()).ChangeCredential);

type Credential = Schemas["Credential"];
type Doing = { what: "change" | "delete"; credential: Credential } | { what: "make" };

function CheckButton({ tenant, shown }: { tenant: string; shown: Credential }) {
  const [found, setFound] = useState<Asked<Check> | "asking" | null>(null);
  const check = async (): Promise<void> => {
    setFound("asking");
    setFound(await checkCredential(tenant, shown.id));
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        disabled={found === "asking"}
        aria-label={`check ${shown.name}`}
        onClick={() => void check()}
      >
        {found === "asking" ? "asking…" : "check"}
      </button>
      {found !== null && found !== "asking" && (
        <Dialog title="Check" onClose={() => setFound(null)}>
          <CheckResult name={shown.name} found={found} />
        </Dialog>
      )}
    </>
  );
}

const columnsOf = (tenant: string, begin: (doing: Doing) => void): Column<Credential>[] => [
  { title: "Provider", show: ({ provider }) => provider, text: ({ provider }) => provider },
  { title: "Name", show: ({ name }) => name, text: ({ name }) => name },
  {
    title: "State",
    show: ({ status }) => <Badge word={status} />,
    text: ({ status }) => status,
  },
  {
    title: "Goes to",
    show: ({ baseUrl }) =>
      baseUrl === null ? <span class="faint">the provider’s default</span> : <code>{baseUrl}</code>,
    text: ({ baseUrl }) => baseUrl,
  },
  {
    title: "Custom models",
    isNumber: true,
    show: ({ models }) => models?.length ?? "–",
    text: ({ models }) => models?.length ?? null,
  },
  {
    title: "Changed",
    show: ({ updatedAt }) => <Time at={updatedAt} />,
    text: ({ updatedAt }) => isoOf(updatedAt),
  },
  {
    title: "",
    show: (credential) =>
      mayChange.value && (
        <span class="row-actions">
          <CheckButton tenant={tenant} shown={credential} />
          {(["change", "delete"] as const).map((what) => (
            <button
              key={what}
              type="button"
              class={`quiet ${what === "delete" ? "danger" : ""}`}
              aria-label={`${what} ${credential.name}`}
              onClick={() => begin({ what, credential })}
            >
              {what}
            </button>
          ))}
        </span>
      ),
  },
];

interface DoProps extends Ends {
  tenant: string;
  doing: Doing;
}

function Do({ tenant, doing, onDone, onClose }: DoProps) {
  if (doing.what === "make")
    return (
      <Dialog title="New credential" onClose={onClose}>
        <NewCredential tenant={tenant} onDone={onDone} onClose={onClose} />
      </Dialog>
    );
  const { credential, what } = doing;
  if (what === "change")
    return (
      <Dialog title={`Change ${credential.name}`} onClose={onClose}>
        <ChangeCredential {...{ tenant, credential, onDone, onClose }} />
      </Dialog>
    );
  const params = { path: { tenant, id: credential.id } };
  return (
    <Confirm
      title="Delete the credential"
      act={() => asked(api.DELETE("/admin/v1/tenants/{tenant}/credentials/{id}", { params }))}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        Models of <strong>{credential.provider}</strong> that need {credential.name} can no longer
        be selected. API key of the provider is deleted.
      </p>
    </Confirm>
  );
}

export function Credentials({ params: { tenant } }: { params: { tenant: string } }) {
  const paging = usePaging<Credential>(`credentials of ${tenant}`, (query) =>
    asked(
      api.GET("/admin/v1/tenants/{tenant}/credentials", { params: { path: { tenant }, query } }),
    ),
  );
  return (
    <ListPage
      title="Credentials"
      lead="Keys of model providers such as OpenAI. They can’t be read back. For keys that your programs use, see API keys."
      paging={paging}
      columns={(begin: (doing: Doing) => void) => columnsOf(tenant, begin)}
      empty="No credentials yet. Add one to make models available."
      action={{ title: "New credential", doing: { what: "make" } }}
      dialog={(doing, ends) => <Do {...{ tenant, doing, ...ends }} />}
    />
  );
}
