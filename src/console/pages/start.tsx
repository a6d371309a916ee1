import { Fragment, type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { useLive } from "../live/use-live.ts";
import { useLoaded } from "../load.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Badge, ProblemNotice, There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { NotForRole } from "../parts/role.tsx";
import { tenantPath } from "../place.ts";
import type { Asked, Problem } from "../problem.ts";
import { listRequests, type RequestRecord } from "../requests/record.ts";
import { mayChange } from "../session.ts";
import { later } from "../later.tsx";
import { CheckResult, checkCredential } from "./credential-check.tsx";
import { snippetsFor } from "../playground/snippets.ts";

const NewCredential = later(async () => (await import("./credential-forms.tsx")).NewCredential);

/** Where providers issue keys. */
const keyPages = [
  ["Anthropic", "https://console.anthropic.com/settings/keys"],
  ["OpenAI", "https://platform.openai.com/api-keys"],
  ["Google", "https://aistudio.google.com/apikey"],
  ["OpenRouter", "https://openrouter.ai/settings/keys"],
] as const;

const watchMs = 2_000;

function Step(props: {
  number: number;
  title: string;
  isDone: boolean;
  children: ComponentChildren;
}) {
  return (
    <section class="card stack">
      <h2>
        {props.number}. {props.title} {props.isDone && <Badge word="done" tone="good" />}
      </h2>
      {props.children}
    </section>
  );
}

type Credential = Schemas["Credential"];

const AddCredential = (props: { tenant: string; onDone: (made: Credential) => void }) => (
  <>
    <p>
      Get a key from{" "}
      {keyPages.map(([name, href], at) => (
        <Fragment key={name}>
          {at > 0 && (at === keyPages.length - 1 ? ", or " : ", ")}
          <a href={href} target="_blank" rel="noreferrer">
            {name}
          </a>
        </Fragment>
      ))}
      .
    </p>
    <NewCredential {...props} />
  </>
);

type Check = Asked<Schemas["CredentialCheck"]>;

function Provider({ tenant }: { tenant: string }) {
  const loading = useLoaded(`credentials of ${tenant}`, () =>
    asked(api.GET("/admin/v1/tenants/{tenant}/credentials", { params: { path: { tenant } } })),
  );
  const [found, setFound] = useState<{ name: string; check: Check } | null>(null);
  const works = ({ name, status }: Schemas["Credential"]): boolean =>
    status === "active" && (found?.name !== name || (found.check.ok && found.check.value.ok));
  const check = async ({ id, name }: Schemas["Credential"]): Promise<void> => {
    setFound({ name, check: await checkCredential(tenant, id) });
    await loading.again();
  };
  return (
    <There what="credentials" loading={loading}>
      {({ data }) => (
        <Step number={1} title="Add a provider’s key" isDone={data.some(works)}>
          {found !== null && <CheckResult name={found.name} found={found.check} />}
          {data.length === 0 ? (
            mayChange.value ? (
              <AddCredential tenant={tenant} onDone={(made) => void check(made)} />
            ) : (
              <NotForRole
                what="can’t add a credential, which is needed to select a model"
                permission="change"
              />
            )
          ) : (
            <ul class="plain rows">
              {data.map((credential) => (
                <li key={credential.id}>
                  {credential.provider} ({credential.name}){" "}
                  <Badge word={works(credential) ? credential.status : "failing"} />{" "}
                  {mayChange.value && (
                    <button
                      type="button"
                      class="quiet"
                      aria-label={`check ${credential.name}`}
                      onClick={() => void check(credential)}
                    >
                      check
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Step>
      )}
    </There>
  );
}

function Key({ tenant, onKey }: { tenant: string; onKey: (key: string) => void }) {
  const [key, setKey] = useState<string | null>(null);
  const make = async (): Promise<void> => {
    const made = await asked(
      api.POST("/admin/v1/tenants/{tenant}/keys", {
        params: { path: { tenant } },
        body: { name: "first steps", scopes: ["sampling", "proxy", "models"] },
      }),
    );
    if (!made.ok) return;
    setKey(made.value.key);
    onKey(made.value.key);
  };
  return (
    <Step number={2} title="Create an API key" isDone={key !== null}>
      {key === null ? (
        <>
          <p>
            Programs use it to call the router, as do the snippets below. To use an existing key,
            put it in place of <code>$KEY</code>, or create another one.
          </p>
          {mayChange.value ? (
            <button type="button" onClick={() => void make()}>
              Create API key
            </button>
          ) : (
            <NotForRole what="can’t create keys" permission="change" />
          )}
        </>
      ) : (
        <CodeBlock title="Shown this once" text={key} />
      )}
    </Step>
  );
}

function Snippets({ tenant, apiKey }: { tenant: string; apiKey: string }) {
  const snippets = snippetsFor({ tenant, apiKey });
  const [shown, show] = useState("curl");
  const { text, hint } = snippets.find(({ name }) => name === shown) ?? { text: "", hint: "" };
  return (
    <>
      <span class="choices" role="group" aria-label="Client">
        {snippets.map(({ name }) => (
          <button
            key={name}
            type="button"
            class="quiet"
            aria-pressed={name === shown}
            onClick={() => show(name)}
          >
            {name}
          </button>
        ))}
      </span>
      <p>{hint}</p>
      <CodeBlock title={shown} text={text} />
    </>
  );
}

function Arrived({ tenant, record }: { tenant: string; record: RequestRecord }) {
  return (
    <div class="notice good" role="status">
      <strong>It arrived.</strong>
      <p>
        <Badge word={record.outcome} /> {record.model ?? ""}{" "}
        <a href={`${tenantPath(tenant, "/requests")}?open=${record.id}`}>
          See why this model was selected
        </a>
      </p>
    </div>
  );
}

function Arrival({ tenant }: { tenant: string }) {
  const [since] = useState(() => Date.now());
  const [problem, setProblem] = useState<Problem | null>(null);
  const [first, setFirst] = useState<RequestRecord | null>(null);
  const hear = (records: readonly RequestRecord[]): void =>
    setFirst(
      (known) => records.findLast(({ id }) => id === known?.id) ?? known ?? records[0] ?? null,
    );
  // Polls if there is no stream, which starts when the page opens.
  const look = async (): Promise<void> => {
    const found = await listRequests(tenant, { from: String(since) });
    setProblem(found.ok ? null : found.problem);
    if (found.ok) hear(found.value.data.toReversed());
  };
  useLive({ tenant, isOn: true, hear, reload: look, pollMs: watchMs });
  if (first !== null) return <Arrived tenant={tenant} record={first} />;
  if (problem !== null) return <ProblemNotice problem={problem} again={look} />;
  return (
    <p class="waiting" role="status">
      Waiting for the next request… For earlier ones, see{" "}
      <a href={tenantPath(tenant, "/requests")}>Requests</a>.
    </p>
  );
}

export function Start({ params: { tenant } }: { params: { tenant: string } }) {
  const [key, setKey] = useState<string | null>(null);
  return (
    <Page title="First steps" lead="From a provider’s key to the first answer in three steps.">
      <div class="stack">
        <Provider tenant={tenant} />
        <Key tenant={tenant} onKey={setKey} />
        <Step number={3} title="Send a request" isDone={false}>
          <Snippets tenant={tenant} apiKey={key ?? "$KEY"} />
          <Arrival tenant={tenant} />
        </Step>
      </div>
    </Page>
  );
}
