import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { later } from "../later.tsx";
import { useRead, useRepeated, valueIn } from "../load.ts";
import { Time } from "../parts/columns.tsx";
import { CodeBlock } from "../parts/copy.tsx";
import { Form } from "../parts/form.tsx";
import { Health } from "../parts/health.tsx";
import { Badge, Button, ForRole, Page, Pick, There } from "../parts/page.tsx";
import { ownPath } from "../place.ts";
import { snippetsFor } from "../playground/snippets.ts";
import { ownKey } from "../playground/wire-request.ts";
import { outcomeWord } from "../requests/cause.ts";
import type { RequestRecord } from "../requests/record.ts";
import { mayChange } from "../session.ts";
import { Checked, seenOf } from "./credentials.tsx";

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

const isGood = ({ outcome }: RequestRecord): boolean => outcome === "succeeded";
function Provider() {
  const loading = useRead("/admin/v1/tenants/{tenant}/credentials");
  const [checked, setChecked] = useState<{ row: Schemas["Credential"]; key: number }>();
  const check = (row: Schemas["Credential"]) => setChecked({ row, key: Date.now() });
  return (
    <There what="credentials" loading={loading}>
      {({ data }) => {
        const isDone = data.some((each) => /^(works|not checked)$/.test(seenOf(each).state));
        return (
          <Step title="1. Add a provider’s key" {...{ isDone }}>
            {checked !== undefined && <Checked {...checked} again={loading.again} />}
            {data.length === 0 && (
              <ForRole without="can’t add a credential, which is needed to select a model">
                <NewCredential onDone={check} />
              </ForRole>
            )}
            <ul class="plain rows">
              {data.map((credential) => (
                <li key={credential.id}>
                  {credential.provider} ({credential.name}) <Health {...seenOf(credential)} />{" "}
                  {mayChange.value && (
                    <Button
                      class="quiet"
                      aria-label={`check ${credential.name}`}
                      onClick={() => check(credential)}
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

type KeyProps = { wasUsed: boolean; made: string | undefined; onMade: (key: string) => void };

const makeKey = () =>
  api.POST("/admin/v1/tenants/{tenant}/keys", {
    body: { name: "first steps", scopes: ["sampling", "proxy", "models"] },
  });

const Key = ({ wasUsed, made, onMade }: KeyProps) => (
  <Step title="2. Create an API key" isDone={made !== undefined || wasUsed}>
    {made !== undefined ? (
      <CodeBlock title="Shown this once" text={made} />
    ) : (
      <>
        <p>
          Programs use it to call the router, as do the snippets below. To use an existing key, put
          it in place of <code>{ownKey}</code>, or create another one.
        </p>
        <ForRole without="can’t create keys">
          <Form submit="Create API key" act={makeKey} onDone={({ key }) => onMade(key)} />
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

const Arrived = ({ record }: { record: RequestRecord }) => (
  <div class={`notice ${isGood(record) ? "good" : "warn"}`} role="status">
    <strong>It arrived.</strong>
    <p>
      <Badge word={outcomeWord(record)} /> {record.model}{" "}
      <a href={`${ownPath("/requests")}?open=${record.id}`}>See why</a>
    </p>
  </div>
);

export function Start() {
  const [since] = useState(() => Date.now());
  const [made, setMade] = useState<string>();
  const loading = useRead("/admin/v1/tenants/{tenant}/requests");
  useRepeated(watchMs, loading.again);
  const records = valueIn(loading)?.data ?? [];
  const last = records.find(({ createdAt }) => createdAt < since);
  const first = records.findLast(({ createdAt }) => createdAt >= since);
  const isDone = records.some(isGood);
  return (
    <Page title="First steps" lead="From a provider’s key to the first answer in three steps.">
      <div class="stack">
        <Provider />
        <Key wasUsed={records.length > 0} made={made} onMade={setMade} />
        <Step title="3. Send a request" {...{ isDone }}>
          <Snippets apiKey={made ?? ownKey} />
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
