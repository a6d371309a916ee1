import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { keyVariable } from "../../domain/servers/install.ts";
import { api, type Schemas } from "../api.ts";
import { later } from "../later.tsx";
import { useRead, useRepeated, valueIn } from "../load.ts";
import { Time } from "../parts/columns.tsx";
import { CodeBlock } from "../parts/copy.tsx";
import { Field, Form } from "../parts/form.tsx";
import { Health } from "../parts/health.tsx";
import { Badge, Button, ForRole, Page, There } from "../parts/page.tsx";
import { ownPath } from "../place.ts";
import { snippetsFor } from "../playground/snippets.ts";
import { outcomeWord } from "../requests/cause.ts";
import type { RequestRecord } from "../requests/record.ts";
import { mayChange } from "../session.ts";
import { Checked, seenOf } from "./credentials.tsx";

const NewCredential = later(async () => (await import("./credential-forms.tsx")).CredentialForm);

const watchMs = 2_000;

type StepProps = { title: string; state: string | false; children: ComponentChildren };

const Step = ({ title, state, children }: StepProps) => (
  <section class="card stack">
    <h2>
      {title} {state && <Badge word={state} tone={state === "done" ? "good" : "warn"} />}
    </h2>
    {children}
  </section>
);

function Provider() {
  const loading = useRead("/admin/v1/tenants/{tenant}/credentials");
  const [checked, setChecked] = useState<{ row: Schemas["Credential"]; key: number }>();
  const check = (row: Schemas["Credential"]) => setChecked({ row, key: Date.now() });
  return (
    <There what="credentials" loading={loading}>
      {({ data }) => {
        const { length: all } = data;
        const bad = data.filter((each) => !/^(works|not checked)$/.test(seenOf(each).state)).length;
        const fault = bad > 0 && `${bad} of ${all} ${bad === 1 ? "fails" : "fail"}`;
        return (
          <Step title="1. Add a provider’s key" state={fault || (all > 0 && "done")}>
            {checked !== undefined && <Checked {...checked} again={loading.again} />}
            {data.length === 0 && (
              <ForRole without="can’t add a credential, which is needed to select a model">
                <NewCredential onDone={check} />
              </ForRole>
            )}
            {fault && <a href={ownPath("/credentials")}>Change a key at Credentials</a>}
            <ul class="plain rows">
              {data.map((credential) => (
                <li key={credential.id}>
                  {credential.provider} ({credential.name}) <Health {...seenOf(credential)} />{" "}
                  {mayChange.value && (
                    <Button class="quiet" onClick={() => check(credential)}>
                      Check <span class="unseen">{credential.name}</span>
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

type KeyProps = { wasUsed: boolean; made: string | undefined; onMade: (key: string) => void };

const makeKey = () =>
  api.POST("/admin/v1/tenants/{tenant}/keys", {
    body: { name: "first steps", scopes: ["sampling", "proxy", "models"] },
  });

const Key = ({ wasUsed, made, onMade }: KeyProps) => (
  <Step title="2. Create an API key" state={(made !== undefined || wasUsed) && "done"}>
    {made !== undefined ? (
      <CodeBlock title="Shown this once" text={made} />
    ) : (
      <>
        <p>
          Programs use it to call the router, as do the snippets below. To use one of your{" "}
          <a href={ownPath("/keys")}>API keys</a>, set <code>{keyVariable}</code> to it.
        </p>
        <ForRole without="can’t create keys">
          <Form submit="Create API key" act={makeKey} onDone={({ key }) => onMade(key)} />
        </ForRole>
      </>
    )}
  </Step>
);

function Snippets({ apiKey }: { apiKey: string | undefined }) {
  const snippets = snippetsFor(apiKey);
  const [shown, show] = useState("OpenAI SDK (TypeScript)");
  const [, , hint = "", text = ""] = snippets.find(([, name]) => name === shown) ?? [];
  return (
    <>
      <Field
        {...{ title: "Client", name: "client", value: shown, onInput: show, hint }}
        options={snippets.map(([group, name]) => [name, name, group])}
      />
      <CodeBlock title={shown} text={text} />
    </>
  );
}

const isGood = ({ outcome }: RequestRecord): boolean => outcome === "succeeded";

function Arrived({ record }: { record: RequestRecord | undefined }) {
  if (record === undefined)
    return (
      <p class="waiting" role="status">
        Waiting for the first request…
      </p>
    );
  return (
    <div class={`notice ${isGood(record) ? "good" : "warn"}`} role="status">
      <strong>It arrived.</strong>
      <p>
        <Badge word={outcomeWord(record)} /> {record.model}{" "}
        <a href={`${ownPath("/requests")}?open=${record.id}`}>See why</a>
      </p>
    </div>
  );
}

export function Start() {
  const [since] = useState(() => Date.now());
  const [made, setMade] = useState<string>();
  const loading = useRead("/admin/v1/tenants/{tenant}/requests");
  useRepeated(watchMs, loading.again);
  const records = valueIn(loading)?.data ?? [];
  const last = records.find(({ createdAt }) => createdAt < since);
  const first = records.findLast(({ createdAt }) => createdAt >= since);
  return (
    <Page title="First steps" lead="From a provider’s key to the first answer in three steps.">
      <div class="stack">
        <Provider />
        <Key wasUsed={records.length > 0} made={made} onMade={setMade} />
        <Step title="3. Send a request" state={records.some(isGood) && "done"}>
          <Snippets apiKey={made} />
          {last !== undefined && (
            <p>
              Requests arrived before you opened this page, the last on <Time at={last.createdAt} />{" "}
              <Badge word={outcomeWord(last)} /> <a href={ownPath("/requests")}>All requests</a>
            </p>
          )}
          <There what="requests" loading={loading}>
            {() => (first || !last) && <Arrived record={first} />}
          </There>
        </Step>
      </div>
    </Page>
  );
}
