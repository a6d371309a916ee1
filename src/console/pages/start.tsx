import { outcomeWord } from "../requests/cause.ts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { later } from "../later.tsx";
import { useRead, useRepeated, valueIn } from "../load.ts";
import { Time } from "../parts/columns.tsx";
import { CodeBlock } from "../parts/copy.tsx";
import { Health } from "../parts/health.tsx";
import { Badge, Button, ForRole, Page, Pick, ProblemNotice, There } from "../parts/page.tsx";
import { ownPath } from "../place.ts";
import { snippetsFor } from "../playground/snippets.ts";
import type { Asked } from "../problem.ts";
import type { RequestRecord } from "../requests/record.ts";
import { mayChange } from "../session.ts";
import { checkCredential, CheckResult, credentialHealth } from "./credential-check.tsx";

const NewCredential = later(async () => (await import("./credential-forms.tsx")).CredentialForm);

const watchMs = 2_000;

type StepProps = JSX.IntrinsicElements["section"] & { title: string; isDone: boolean };

const Step = ({ title, isDone, children }: StepProps) => (
  <section class="card stack">
    <h2>
      {title} {isDone && <Badge word="done" tone="good" />}
    </h2>
    {children}
  </section>
);

type Checked = { name: string; check: Asked<Schemas["CredentialCheck"]> };
type Credential = Schemas["Credential"];

const answersIn = (records: readonly RequestRecord[]) =>
  records
    .filter(({ outcome }) => outcome === "succeeded")
    .map(({ model, createdAt }) => ({ group: model ?? "", lastUsedAt: createdAt }));

function Provider({ records }: { records: readonly RequestRecord[] }) {
  const loading = useRead("/admin/v1/tenants/{tenant}/credentials");
  const [found, setFound] = useState<Checked | null>(null);
  const check = async ({ id, name }: Credential): Promise<void> => {
    setFound({ name, check: await checkCredential(id) });
    await loading.again();
  };
  return (
    <There what="credentials" loading={loading}>
      {({ data }) => {
        const healthOf = credentialHealth(data, answersIn(records));
        const isDone = data.some((each) => /^(works|not checked)$/.test(healthOf(each).state));
        return (
          <Step title="1. Add a provider’s key" {...{ isDone }}>
            {found !== null && <CheckResult name={found.name} found={found.check} />}
            {data.length === 0 && (
              <ForRole without="can’t add a credential, which is needed to select a model">
                <NewCredential onDone={(made) => void check(made)} />
              </ForRole>
            )}
            <ul class="plain rows">
              {data.map((credential) => (
                <li key={credential.id}>
                  {credential.provider} ({credential.name}){" "}
                  <Health {...healthOf(credential)} fault={null} />{" "}
                  {mayChange.value && (
                    <Button
                      class="quiet"
                      aria-label={`check ${credential.name}`}
                      onClick={() => void check(credential)}
                    >
                      check
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </Step>
        );
      }}
    </There>
  );
}

interface KeyProps {
  wasUsed: boolean;
  made: Asked<Schemas["NewKey"]> | null;
  make: () => Promise<void>;
}

const Key = ({ wasUsed, made, make }: KeyProps) => (
  <Step title="2. Create an API key" isDone={made?.ok ?? wasUsed}>
    {made?.ok === true ? (
      <CodeBlock title="Shown this once" text={made.value.key} />
    ) : (
      <>
        <p>
          Programs use it to call the router, as do the snippets below. To use an existing key, put
          it in place of <code>$KEY</code>, or create another one.
        </p>
        {made !== null && <ProblemNotice problem={made.problem} />}
        <ForRole without="can’t create keys">
          <Button onClick={() => void make()}>Create API key</Button>
        </ForRole>
      </>
    )}
  </Step>
);

function Snippets({ apiKey }: { apiKey: string }) {
  const snippets = snippetsFor({ apiKey });
  const [shown, show] = useState("curl");
  const { text, hint } = snippets.find(({ name }) => name === shown) ?? { text: "", hint: "" };
  return (
    <>
      <Pick
        label="Client"
        value={shown}
        options={snippets.map(({ name }) => [name, name])}
        onPick={show}
      />
      <p>{hint}</p>
      <CodeBlock title={shown} text={text} />
    </>
  );
}

function Arrived({ record }: { record: RequestRecord }) {
  return (
    <div class={`notice ${record.outcome === "succeeded" ? "good" : "warn"}`} role="status">
      <strong>It arrived.</strong>
      <p>
        <Badge word={outcomeWord(record)} /> {record.model ?? ""}{" "}
        <a href={`${ownPath("/requests")}?open=${record.id}`}>See why</a>
      </p>
    </div>
  );
}

export function Start() {
  const [since] = useState(() => Date.now());
  const [made, setMade] = useState<KeyProps["made"]>(null);
  const loading = useRead("/admin/v1/tenants/{tenant}/requests");
  useRepeated(watchMs, loading.again);
  const records = valueIn(loading)?.data ?? [];
  const last = records.find(({ createdAt }) => createdAt < since);
  const first = records.findLast(({ createdAt }) => createdAt >= since);
  const make = async (): Promise<void> => {
    const scopes = ["sampling" as const, "proxy" as const, "models" as const];
    const body = { name: "first steps", scopes };
    setMade(await api.POST("/admin/v1/tenants/{tenant}/keys", { body }));
  };
  return (
    <Page title="First steps" lead="From a provider’s key to the first answer in three steps.">
      <div class="stack">
        <Provider {...{ records }} />
        <Key wasUsed={records.length > 0} {...{ made, make }} />
        <Step
          title="3. Send a request"
          isDone={records.some(({ outcome }) => outcome === "succeeded")}
        >
          <Snippets apiKey={made?.ok === true ? made.value.key : "$KEY"} />
          {last !== undefined && (
            <p>
              Requests arrived before you opened this page, the last on <Time at={last.createdAt} />{" "}
              <Badge word={outcomeWord(last)} /> <a href={ownPath("/requests")}>All requests</a>
            </p>
          )}
          <There what="requests" loading={loading}>
            {() =>
              first !== undefined ? (
                <Arrived record={first} />
              ) : (
                last === undefined && (
                  <p class="waiting" role="status">
                    Waiting for the first request…
                  </p>
                )
              )
            }
          </There>
        </Step>
      </div>
    </Page>
  );
}
