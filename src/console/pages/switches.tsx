import { useState } from "preact/hooks";
import { isStopped } from "../../domain/choice/switches.ts";
import { api } from "../api.ts";
import { counted, few, oneDay, usdInCents } from "../format.ts";
import { useLoaded, valueIn } from "../load.ts";
import { allModels, nameOf, type Model } from "../models/figures.tsx";
import { column, type Column } from "../parts/columns.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Field, Fields, Form, useDraft, type FieldProps } from "../parts/form.tsx";
import { ListPage, type Part } from "../parts/list-page.tsx";
import { NamedChoice, namesIn, type Names } from "../parts/named.tsx";
import { Card, ForRole } from "../parts/page.tsx";
import { topUsage, type Spender, type Top } from "../parts/spend.tsx";
import { tenantChanges } from "../parts/stopped.tsx";
import { ok, type Asked } from "../problem.ts";
import { isOperator } from "../session.ts";
import { kinds, patchOf, stopsOf, turnedBy, type Kind, type Stop } from "../switches.ts";

/** `by`: what usage of it is grouped by */
const targets = {
  servers: { by: "server", hint: "The server’s slug, for example github." },
  keys: { by: "key", hint: "The key’s id, from API keys." },
  models: {
    by: "model",
    hint: "Choose a model, or use * as a wildcard, for example openai/gpt-5*.",
  },
  providers: { by: "model", hint: "For example openai." },
} as const;
type NamedKind = keyof typeof targets;
const isNamed = (kind: Kind): kind is NamedKind => kind in targets;

type Target = Omit<Stop, "why">;

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

type Row = Stop & { id: string; at?: number | undefined; by?: string | undefined };

/** With who turned each on, and when, if the events say so. */
async function readStops(): Promise<Asked<Part<Row>>> {
  const found = await api.GET("/admin/v1/tenants/{tenant}");
  if (!found.ok) return found;
  const stops = stopsOf(found.value).map((stop) => ({ ...stop, id: `${stop.kind} ${stop.name}` }));
  const byAction = Map.groupBy(stops, ({ kind }) =>
    kind === "operator" ? "ceiling.replace" : "policy.replace",
  );
  const rows = [...byAction].map(async ([action, its]): Promise<Row[]> => {
    const read = await api.GET("/admin/v1/tenants/{tenant}/events", { action, limit: 200 });
    if (!read.ok) return its;
    const { data, names } = read.value;
    return its.map((stop) => {
      const { at, actor } = turnedBy(stop, data) ?? {};
      return { ...stop, at, by: names[actor ?? ""] ?? actor };
    });
  });
  return ok({ data: (await Promise.all(rows)).flat(), nextCursor: null });
}

const columns: Column<Row>[] = [
  column.of("What is stopped", ({ kind }) => kinds[kind]),
  column.of("Name", ({ name }) => name),
  column.of("Why", ({ why }) => why),
  column.time("Since", ({ at }) => at),
  column.of("By", ({ by }) => by ?? null),
];

type EffectProps = { target: Target; models: readonly Model[]; top: Top };

/** What it stops, and what it would have stopped in the last day. A switch may precede its model. */
function Effect({ target: { kind, name }, models, top }: EffectProps) {
  const its = { [kind]: { [name]: "" } };
  const of = isNamed(kind) ? targets[kind].by : null;
  const isHit = ({ by, group }: Spender): boolean => {
    const [provider = "", ...id] = group.split("/");
    if (of === "model") return by === of && isStopped({ provider, id: id.join("/") }, its);
    return by === of && name === (of === "key" ? group : top.names[group]);
  };
  const hit = of === null ? [top.total] : top.data.filter(isHit);
  const sumOf = (member: "requests" | "costUsd") =>
    hit.reduce((sum, each) => sum + each[member], 0);
  const stopped = models.filter((model) => model.available && isStopped(model, its)).map(nameOf);
  const text =
    stopped.length === 0
      ? "It matches no available model."
      : `Stops ${counted(stopped.length, "available model")}: ${few(stopped)}.`;
  return (
    <p>
      {of === "model" && <strong>{text} </strong>}
      {`In the last 24 hours, it would have stopped ${counted(sumOf("requests"), "request")} (${usdInCents(sumOf("costUsd"))}).`}
    </p>
  );
}

type TargetProps = Pick<EffectProps, "models"> & Pick<FieldProps, "value" | "onInput">;

function TargetField({ kind, models, ...its }: TargetProps & { kind: NamedKind }) {
  const { by, hint } = targets[kind];
  const loading = useLoaded(`names ${by}`, async () =>
    ok(by === "model" ? {} : await namesIn(({ revokedAt }) => revokedAt === null)),
  );
  const title = `Which ${kinds[kind]}`.replace("API ", "");
  const field = { title, hint, name: "name", isRequired: true, path: `stopped.${kind}`, ...its };
  const available = models.filter((model) => model.available);
  if (kind === "models") return <Field {...field} list={available.map(nameOf)} />;
  const named = Object.entries(valueIn(loading) ?? {});
  const names = {
    keys: named.filter(([id]) => id.startsWith("key_")),
    servers: named.flatMap(([id, slug]) => (id.startsWith("srv_") ? [[slug, slug]] : [])),
    providers: available.map(({ provider }) => [provider, provider]),
  }[kind];
  return <NamedChoice key={kind} {...field} names={Object.fromEntries(names) as Names} />;
}

const hint = "Shown in the error message.";
const reasonField = { name: "why", title: "Reason", isRequired: true, hint } as const;
/** The operator's own is the first. */
const options = Object.entries(kinds) as [Kind, string][];

const lastDay = () =>
  topUsage({ by: ["key", "server", "model"], from: Date.now() - oneDay, limit: 1_000 });

function StopForm({ onDone }: { onDone: () => void }) {
  const { draft, change } = useDraft<Stop>({ kind: "models", name: "", why: "" });
  const { kind, name, why } = draft;
  const [isAsking, setAsking] = useState(false);
  const target = { kind, name: name.trim() };
  const isMeant = !isNamed(kind) || target.name !== "";
  const models = valueIn(useLoaded("models", allModels));
  const top = valueIn(
    useLoaded(`last day ${isMeant}`, async () => (isMeant ? lastDay() : ok(null))),
  );
  const effect = models && top && <Effect {...{ target, models, top }} />;
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
        {isNamed(kind) && (
          <TargetField
            {...{ kind, models: models ?? [] }}
            value={name}
            onInput={(text) => change({ name: text })}
          />
        )}
        <Fields of={[reasonField]} {...{ draft, change }} />
      </div>
      {effect}
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
          {effect}
        </Confirm>
      )}
    </Form>
  );
}

export function SwitchesPage() {
  const loading = useLoaded("stops", readStops);
  return (
    <ListPage
      title="Kill switches"
      lead="A switch takes effect with the next request. Running calls finish."
      paging={{ loading, cursor: null, go: () => undefined }}
      columns={columns}
      nameOf={({ kind, name }) => `${kinds[kind]} ${name}`}
      empty="No active kill switches. All requests that the policy allows run."
      verbs={({ kind }) => (kind !== "operator" || isOperator.value ? ["Lift"] : [])}
      dialog={({ row }, ends) => (
        <Confirm title="Lift switch" act={() => setSwitch(row, null)} {...ends}>
          <p>
            Requests for {kinds[row.kind]} <code>{row.name}</code> resume. Reason for the stop:{" "}
            {row.why}
          </p>
        </Confirm>
      )}
      below={
        <Card title="Stop something">
          <ForRole without="stops nothing">
            <StopForm onDone={() => void loading.again()} />
          </ForRole>
        </Card>
      }
    />
  );
}
