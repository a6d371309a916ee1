import { useState } from "preact/hooks";
import { isStopped } from "../../domain/choice/switches.ts";
import { api, type ReadResult } from "../api.ts";
import { count, usdInCents } from "../format.ts";
import { useLoaded, useRead, valueIn } from "../load.ts";
import { allModels, nameOf } from "../models/figures.tsx";
import { timeColumn, type Column } from "../parts/columns.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Field, Fields, Form, useDraft } from "../parts/form.tsx";
import { NamedChoice, namesIn } from "../parts/named.tsx";
import { Button, Card, ForRole, Page, There } from "../parts/page.tsx";
import { topUsage } from "../parts/spend.tsx";
import { stopsNow, tenantChanges } from "../parts/stopped.tsx";
import { Table } from "../parts/table.tsx";
import { ok, type Asked } from "../problem.ts";
import { isOperator, may } from "../session.ts";
import { kinds, patchOf, stopsOf, turnedBy, type Kind, type Stop } from "../switches.ts";

const nameHints: Partial<Record<Kind, string>> = {
  servers: "The server’s slug, for example github.",
  keys: "The key’s id, from API keys.",
  models: "Choose a model, or use * as a wildcard, for example openai/gpt-5*.",
  providers: "For example openai.",
};

/** The ceiling is replaced as a whole, with optimistic locking. */
async function setSwitchAsOperator(why: string | null): Promise<Asked<unknown>> {
  const found = await api.GET("/admin/v1/tenants/{tenant}/ceiling");
  if (!found.ok) return found;
  const { stopped: _, ...ceiling } = found.value;
  return api.PUT("/admin/v1/tenants/{tenant}/ceiling", {
    ifMatch: found.tag,
    body: why === null ? ceiling : { ...ceiling, stopped: why },
  });
}

async function setSwitch({ kind, name }: Target, why: string | null) {
  const done =
    kind === "operator"
      ? await setSwitchAsOperator(why)
      : await api.PATCH("/admin/v1/tenants/{tenant}/policy", {
          body: patchOf({ kind, name }, why) as Record<string, never>,
        });
  if (done.ok) tenantChanges.value += 1;
  return done;
}

type Target = Omit<Stop, "why">;

type Saved = Pick<ReadResult<"/admin/v1/tenants/{tenant}/events">, "data" | "names">;
const nothing: Saved = { data: [], names: {} };

function useSaved(action: string, isNeeded: boolean): Saved {
  const what = `${action} ${isNeeded} ${tenantChanges.value}`;
  const read = async (): Promise<Asked<Saved>> =>
    isNeeded ? api.GET("/admin/v1/tenants/{tenant}/events", { action, limit: 200 }) : ok(nothing);
  return valueIn(useLoaded(what, read)) ?? nothing;
}

function useTurns() {
  const isByOperator = ({ kind }: Stop): boolean => kind === "operator";
  const ceilings = useSaved("ceiling.replace", stopsNow.value.some(isByOperator));
  const policies = useSaved("policy.replace", !stopsNow.value.every(isByOperator));
  const names = { ...policies.names, ...ceilings.names };
  const of = (stop: Stop) => turnedBy(stop, (stop.kind === "operator" ? ceilings : policies).data);
  const by = (stop: Stop): string | null => of(stop)?.actor ?? null;
  return [
    timeColumn<Stop>("Since", (stop) => of(stop)?.at),
    { title: "By", text: (stop: Stop) => names[by(stop) ?? ""] ?? by(stop) },
  ];
}

const columnsOf = (lift: (stop: Stop) => void, turns: Column<Stop>[]): Column<Stop>[] => [
  { title: "What is stopped", text: ({ kind }) => kinds[kind] },
  { title: "Name", show: ({ name }) => <code>{name || "–"}</code>, text: ({ name }) => name },
  { title: "Why", text: ({ why }) => why },
  ...turns,
  {
    title: "",
    show: (stop) =>
      (stop.kind === "operator" ? isOperator.value : may("change")) && (
        <Button
          class="quiet"
          aria-label={`Lift ${kinds[stop.kind]} ${stop.name}`}
          onClick={() => lift(stop)}
        >
          Lift
        </Button>
      ),
  },
];

const maxNamed = 5;

/** A switch may precede its model, so no match is only a warning. */
function Matches({ kind, name }: Target) {
  const { loaded } = useLoaded("models", allModels);
  if (loaded.state !== "there") return null;
  const its = { [kind]: { [name]: "" } };
  const stopped = loaded.value.filter((model) => model.available && isStopped(model, its));
  if (stopped.length === 0) return <strong>It matches no available model.</strong>;
  const more = stopped.length - maxNamed;
  return (
    <strong>
      Stops {stopped.length} available {stopped.length === 1 ? "model" : "models"}:{" "}
      {stopped.slice(0, maxNamed).map(nameOf).join(", ")}
      {more > 0 && ` and ${more} more`}.
    </strong>
  );
}

/** What it stops, and what it would have stopped in the last day. */
function Effect({ kind, name }: Target) {
  const { loaded } = useLoaded("last day", () =>
    topUsage({ by: ["key", "server", "model"], from: Date.now() - 86_400_000, limit: 1_000 }),
  );
  const isWhole = nameHints[kind] === undefined;
  if (loaded.state !== "there") return null;
  const { data, total, names } = loaded.value;
  const isHit = ({ by, group }: (typeof data)[number]): boolean => {
    if (kind === "keys") return by === "key" && group === name;
    if (kind === "servers") return by === "server" && names[group] === name;
    const [provider = "", ...id] = group.split("/");
    return by === "model" && isStopped({ provider, id: id.join("/") }, { [kind]: { [name]: "" } });
  };
  const hit = isWhole ? [total] : data.filter(isHit);
  const requests = hit.reduce((sum, each) => sum + each.requests, 0);
  const cost = hit.reduce((sum, each) => sum + each.costUsd, 0);
  return (
    <p>
      {(kind === "models" || kind === "providers") && <Matches {...{ kind, name }} />} In the last
      24 hours: {count(requests)} {requests === 1 ? "request" : "requests"}, {usdInCents(cost)}.
    </p>
  );
}

type TargetProps = Target & { onInput: (name: string) => void };

function NamedTarget({ kind, ...its }: TargetProps) {
  const loading = useLoaded("names", async () =>
    ok(await namesIn(({ revokedAt }) => revokedAt === null)),
  );
  const isKey = kind === "keys";
  const named = Object.entries(valueIn(loading) ?? {});
  return (
    <NamedChoice
      title={isKey ? "Which key" : "Which server"}
      name="name"
      names={Object.fromEntries(
        isKey
          ? named.filter(([id]) => id.startsWith("key_"))
          : named.filter(([id]) => id.startsWith("srv_")).map(([, slug]) => [slug, slug]),
      )}
      hint={nameHints[kind] ?? ""}
      isRequired
      path={`stopped.${kind}`}
      value={its.name}
      onInput={its.onInput}
    />
  );
}

function TargetField(props: TargetProps) {
  const { kind, name, onInput } = props;
  const models = valueIn(useLoaded("models", allModels)) ?? [];
  if (nameHints[kind] === undefined) return null;
  if (kind === "keys" || kind === "servers") return <NamedTarget key={kind} {...props} />;
  const isModel = kind === "models";
  const known = models
    .filter(({ available }) => available)
    .map((model) => (isModel ? nameOf(model) : model.provider));
  return (
    <>
      <Field
        title={isModel ? "Which model" : "Which provider"}
        name="name"
        isRequired
        {...{ value: name, onInput }}
        list="known"
        hint={nameHints[kind]}
        path={`stopped.${kind}`}
      />
      <datalist id="known">
        {[...new Set(known)].map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}

const hint = "Shown in the error message.";
const reasonField = { name: "why", title: "Reason", isRequired: true, hint } as const;
/** The operator's own is the first. */
const options = Object.entries(kinds) as [Kind, string][];

function StopForm({ onDone }: { onDone: () => void }) {
  const { draft, change } = useDraft<Stop>({ kind: "models", name: "", why: "" });
  const { kind, name, why } = draft;
  const [isAsking, setAsking] = useState(false);
  const target = { kind, name: name.trim() };
  return (
    <Form submit="Stop it" isDanger act={async () => ok(setAsking(true))}>
      <div class="grid">
        <Field
          title="What to stop"
          name="kind"
          value={kind}
          options={options.slice(isOperator.value ? 0 : 1)}
          onInput={(chosen) => change({ kind: chosen, name: "" })}
        />
        <TargetField {...{ kind, name }} onInput={(text) => change({ name: text })} />
        <Fields of={[reasonField]} {...{ draft, change }} />
      </div>
      {(nameHints[kind] === undefined || target.name !== "") && <Effect {...target} />}
      {isAsking && (
        <Confirm
          title={`Stop ${kinds[kind]}`}
          act={() => setSwitch(target, why)}
          onDone={() => {
            setAsking(false);
            change({ name: "", why: "" });
            onDone();
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            New requests for {kinds[kind]} <strong>{target.name}</strong> are refused. Running calls
            finish.
          </p>
          <Effect {...target} />
        </Confirm>
      )}
    </Form>
  );
}

export function SwitchesPage() {
  const loading = useRead("/admin/v1/tenants/{tenant}");
  const [lifting, lift] = useState<Stop | null>(null);
  const turns = useTurns();
  const onDone = (): void => {
    lift(null);
    void loading.again();
  };
  return (
    <Page
      title="Kill switches"
      lead="A switch takes effect with the next request. Running calls finish."
    >
      <div class="stack">
        <There what="switches" loading={loading}>
          {(tenant) => (
            <Table
              name="Kill switches"
              columns={columnsOf(lift, turns)}
              rows={stopsOf(tenant)}
              keyOf={({ kind, name }) => `${kind} ${name}`}
              empty="No active kill switches. All requests that the policy allows run."
            />
          )}
        </There>
        <Card title="Stop something">
          <ForRole without="stops nothing">
            <StopForm onDone={onDone} />
          </ForRole>
        </Card>
      </div>
      {lifting !== null && (
        <Confirm
          title="Lift switch"
          act={() => setSwitch(lifting, null)}
          onDone={onDone}
          onClose={() => lift(null)}
        >
          <p>
            Requests for {kinds[lifting.kind]} <code>{lifting.name}</code> resume. Reason for the
            stop: {lifting.why}
          </p>
        </Confirm>
      )}
    </Page>
  );
}
