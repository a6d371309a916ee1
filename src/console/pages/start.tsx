import { Button } from "../parts/card.tsx";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { spaced } from "../format.ts";
import { useRead, useRepeated } from "../load.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Badge, ProblemNotice, There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { NotForRole } from "../parts/role.tsx";
import { Time } from "../parts/time.tsx";
import { ownPath } from "../place.ts";
import type { Asked, Problem } from "../problem.ts";
import { listRequests, type RequestRecord } from "../requests/record.ts";
import { mayChange } from "../session.ts";
import { later } from "../later.tsx";
import { CheckResult, checkCredential } from "./credential-check.tsx";
import { snippetsFor } from "../playground/snippets.ts";

const NewCredential = later(async () => (await import("./credential-forms.tsx")).CredentialForm);

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

type Check = Asked<Schemas["CredentialCheck"]>;

function Provider() {
  const loading = useRead("/admin/v1/tenants/{tenant}/credentials");
  const [found, setFound] = useState<{ name: string; check: Check } | null>(null);
  const works = ({ name, status }: Schemas["Credential"]): boolean =>
    status === "active" && (found?.name !== name || (found.check.ok && found.check.value.ok));
  const check = async ({ id, name }: Schemas["Credential"]): Promise<void> => {
    setFound({ name, check: await checkCredential(id) });
    await loading.again();
  };
  return (
    <There what="credentials" loading={loading}>
      {({ data }) => (
        <Step number={1} title="Add a provider’s key" isDone={data.some(works)}>
          {found !== null && <CheckResult name={found.name} found={found.check} />}
          {data.length === 0 ? (
            mayChange.value ? (
              <NewCredential onDone={(made) => void check(made)} />
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
          )}
        </Step>
      )}
    </There>
  );
}

interface KeyProps {
  wasUsed: boolean;
  onKey: (key: string) => void;
}

function Key({ wasUsed, onKey }: KeyProps) {
  const [key, setKey] = useState<string | null>(null);
  const make = async (): Promise<void> => {
    const made = await api.POST("/admin/v1/tenants/{tenant}/keys", {
      body: { name: "first steps", scopes: ["sampling", "proxy", "models"] },
    });
    if (!made.ok) return;
    setKey(made.value.key);
    onKey(made.value.key);
  };
  return (
    <Step number={2} title="Create an API key" isDone={key !== null || wasUsed}>
      {key === null ? (
        <>
          <p>
            Programs use it to call the router, as do the snippets below. To use an existing key,
            put it in place of <code>$KEY</code>, or create another one.
          </p>
          {mayChange.value ? (
            <Button onClick={() => void make()}>Create API key</Button>
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

function Snippets({ apiKey }: { apiKey: string }) {
  const snippets = snippetsFor({ apiKey });
  const [shown, show] = useState("curl");
  const { text, hint } = snippets.find(({ name }) => name === shown) ?? { text: "", hint: "" };
  return (
    <>
      <span class="choices" role="group" aria-label="Client">
        {snippets.map(({ name }) => (
          <Button key={name} class="quiet" aria-pressed={name === shown} onClick={() => show(name)}>
            {name}
          </Button>
        ))}
      </span>
      <p>{hint}</p>
      <CodeBlock title={shown} text={text} />
    </>
  );
}

function Arrived({ record }: { record: RequestRecord }) {
  const { id, outcome, model } = record;
  const isGood = outcome === "succeeded";
  return (
    <div class={`notice ${isGood ? "good" : "warn"}`} role="status">
      <strong>{isGood ? "It arrived." : `It arrived, and ${spaced(outcome)}.`}</strong>
      <p>
        <Badge word={outcome} /> {model ?? ""}{" "}
        <a href={`${ownPath("/requests")}?open=${id}`}>
          {isGood ? "See why this model was selected" : "See why"}
        </a>
      </p>
    </div>
  );
}

interface Arrivals {
  /** before the page was opened */
  earlier: RequestRecord | null;
  first: RequestRecord | null;
  problem: Problem | null;
  look: () => Promise<void>;
}

function useArrivals(): Arrivals {
  const [since] = useState(() => Date.now());
  const [problem, setProblem] = useState<Problem | null>(null);
  const [earlier, setEarlier] = useState<RequestRecord | null>(null);
  const [first, setFirst] = useState<RequestRecord | null>(null);
  const look = async (): Promise<void> => {
    const found = await listRequests({});
    setProblem(found.ok ? null : found.problem);
    if (!found.ok) return;
    const before = found.value.data.filter(({ createdAt }) => createdAt < since);
    setEarlier(before.find(({ outcome }) => outcome === "succeeded") ?? before[0] ?? null);
    const fresh = found.value.data.filter(({ createdAt }) => createdAt >= since);
    setFirst((known) => fresh.find(({ id }) => id === known?.id) ?? known ?? fresh.at(-1) ?? null);
  };
  useEffect(() => void look(), []);
  useRepeated(watchMs, look);
  return { earlier, first, problem, look };
}

function Arrival({ arrivals }: { arrivals: Arrivals }) {
  const { earlier, first, problem, look } = arrivals;
  if (first !== null) return <Arrived record={first} />;
  if (problem !== null) return <ProblemNotice problem={problem} again={look} />;
  return (
    <p class="waiting" role="status">
      Waiting for {earlier === null ? "the first" : "the next"} request…
      {earlier !== null && (
        <>
          {" "}
          Before: <Time at={earlier.createdAt} /> <Badge word={earlier.outcome} />{" "}
          <a href={ownPath("/requests")}>All requests</a>
        </>
      )}
    </p>
  );
}

export function Start() {
  const [key, setKey] = useState<string | null>(null);
  const arrivals = useArrivals();
  const arrived = [arrivals.first, arrivals.earlier].filter((each) => each !== null);
  return (
    <Page title="First steps" lead="From a provider’s key to the first answer in three steps.">
      <div class="stack">
        <Provider />
        <Key wasUsed={arrived.length > 0} onKey={setKey} />
        <Step
          number={3}
          title="Send a request"
          isDone={arrived.some(({ outcome }) => outcome === "succeeded")}
        >
          <Snippets apiKey={key ?? "$KEY"} />
          <Arrival {...{ arrivals }} />
        </Step>
      </div>
    </Page>
  );
}
