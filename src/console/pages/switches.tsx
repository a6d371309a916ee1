import { Button, Card } from "../parts/card.tsx";
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { matchesGlob } from "../../domain/models/globs.ts";
import { useLoaded, useRead } from "../load.ts";
import { allModels } from "../models/all-models.ts";
import type { Model } from "../models/columns.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Choice, Field, Form } from "../parts/form.tsx";
import { namesIn, useSubjectNames, type Names } from "../parts/named.tsx";
import { NamedChoice } from "../parts/named-choice.tsx";
import { There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { NotForRole } from "../parts/role.tsx";
import { switchChanges } from "../parts/stopped.tsx";
import { Table, type Column } from "../parts/table.tsx";
import type { Asked } from "../problem.ts";
import { isOperator, may } from "../session.ts";
import { kinds, patchOf, stopsOf, type Kind, type Stop } from "../switches.ts";

const nameHints: Readonly<Record<Kind, string>> = {
  operator: "",
  tenant: "",
  servers: "The server’s slug, for example github.",
  keys: "The key’s id, from API keys.",
  models: "provider/model, with * as a wildcard, for example openai/gpt-5*.",
  providers: "The provider’s name, for example openai.",
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

async function setSwitch({ kind, name, why }: Omit<Stop, "why"> & { why: string | null }) {
  const done =
    kind === "operator"
      ? await setSwitchAsOperator(why)
      : await api.PATCH("/admin/v1/tenants/{tenant}/policy", {
          body: patchOf({ kind, name }, why) as Record<string, never>,
        });
  if (done.ok) switchChanges.value += 1;
  return done;
}

const mayLift = ({ kind }: Stop): boolean =>
  kind === "operator" ? isOperator.value : may("change");

const columnsOf = (lift: (stop: Stop) => void): Column<Stop>[] => [
  { title: "What is stopped", show: ({ kind }) => kinds[kind], text: ({ kind }) => kinds[kind] },
  { title: "Name", show: ({ name }) => <code>{name || "–"}</code>, text: ({ name }) => name },
  { title: "Why", text: ({ why }) => why },
  {
    title: "",
    show: (stop) =>
      mayLift(stop) && (
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

interface TargetProps {
  kind: Kind;
  name: string;
  onInput: (name: string) => void;
}

async function stoppable(kind: "keys" | "servers") {
  const named = Object.entries(await namesIn());
  const names: Names = Object.fromEntries(
    kind === "keys"
      ? named.filter(([id]) => id.startsWith("key_"))
      : named.filter(([id]) => id.startsWith("srv_")).map(([, slug]) => [slug, slug]),
  );
  return { ok: true, value: names, tag: null } as const;
}

function NamedTarget(props: TargetProps & { kind: "keys" | "servers" }) {
  const { kind, name, onInput } = props;
  const { loaded } = useLoaded(kind, () => stoppable(kind));
  return (
    <NamedChoice
      title={kind === "keys" ? "Which key" : "Which server"}
      name="name"
      value={name}
      onInput={onInput}
      names={loaded.state === "there" ? loaded.value : {}}
      hint={nameHints[kind]}
      isRequired
      path={`stopped.${kind}`}
    />
  );
}

/** The router also accepts other spellings. */
const namesOf = ({ provider, id, canonicalName }: Model): string[] => [
  `${provider}/${id}`,
  ...(canonicalName === null ? [] : [canonicalName, `${provider}/${canonicalName}`]),
];

const maxNamed = 5;

/** A switch may precede its model, so no match is only a warning. */
function Matches({ kind, name }: Pick<TargetProps, "kind" | "name">) {
  const { loaded } = useLoaded(`models`, () => allModels());
  if (loaded.state !== "there") return null;
  const stopped = loaded.value
    .filter((model) => model.available)
    .map(namesOf)
    .filter((names) =>
      kind === "providers"
        ? names[0]?.startsWith(`${name}/`)
        : names.some((each) => matchesGlob(name, each)),
    );
  if (stopped.length === 0) return <strong>It matches no available model.</strong>;
  const more = stopped.length - maxNamed;
  return (
    <strong>
      Stops {stopped.length} available {stopped.length === 1 ? "model" : "models"}:{" "}
      {stopped
        .slice(0, maxNamed)
        .map(([first]) => first)
        .join(", ")}
      {more > 0 && ` and ${more} more`}.
    </strong>
  );
}

function Effect({ kind, name }: Pick<TargetProps, "kind" | "name">) {
  const names = useSubjectNames();
  return (
    <>
      <p>
        New requests for{" "}
        <strong>{kind === "keys" ? (names[name] ?? name) : `${kinds[kind]} ${name}`}</strong> are
        refused. Running calls finish.
      </p>
      {(kind === "models" || kind === "providers") && <Matches {...{ kind, name }} />}
    </>
  );
}

function Target(props: TargetProps) {
  const { kind, name, onInput } = props;
  if (nameHints[kind] === "") return null;
  if (kind === "keys" || kind === "servers")
    return <NamedTarget key={kind} {...props} kind={kind} />;
  return (
    <Field
      title="Its name"
      name="name"
      isRequired
      value={name}
      onInput={onInput}
      hint={
        <>
          {nameHints[kind]} {name.trim() !== "" && <Matches {...{ kind }} name={name.trim()} />}
        </>
      }
      path={`stopped.${kind}`}
    />
  );
}

function StopForm({ onDone }: { onDone: () => void }) {
  const [kind, setKind] = useState<Kind>("models");
  const [name, setName] = useState("");
  const [why, setWhy] = useState("");
  const options = (Object.keys(kinds) as Kind[]).filter(
    (each) => each !== "operator" || isOperator.value,
  );
  const [isAsking, setAsking] = useState(false);
  const ask = async () => {
    setAsking(true);
    return { ok: true, value: null, tag: null } as const;
  };
  const target = { kind, name: name.trim() };
  return (
    <Form submit="Stop it" isDanger act={ask}>
      <Choice
        title="What to stop"
        name="kind"
        value={kind}
        options={options.map((each) => [each, kinds[each]] as const)}
        onInput={(chosen) => {
          setKind(chosen);
          setName("");
        }}
      />
      <Target {...{ kind, name }} onInput={setName} />
      <Field
        title="Reason"
        name="why"
        isRequired
        value={why}
        onInput={setWhy}
        hint="Shown in the error message."
      />
      {isAsking && (
        <Confirm
          title={`Stop ${kinds[kind]}`}
          act={() => setSwitch({ ...target, why })}
          onDone={() => {
            setAsking(false);
            setWhy("");
            setName("");
            onDone();
          }}
          onClose={() => setAsking(false)}
        >
          <Effect {...target} />
        </Confirm>
      )}
    </Form>
  );
}

export function SwitchesPage() {
  const loading = useRead("/admin/v1/tenants/{tenant}");
  const [lifting, lift] = useState<Stop | null>(null);
  return (
    <Page
      title="Kill switches"
      lead="A switch takes effect with the next request. Running calls finish."
    >
      <div class="stack">
        <There what="switches" loading={loading}>
          {(found) => (
            <Table
              name="Kill switches"
              columns={columnsOf(lift)}
              rows={stopsOf(found)}
              keyOf={({ kind, name }) => `${kind} ${name}`}
              empty="No active kill switches."
            />
          )}
        </There>
        <Card title="Stop something">
          {may("change") ? (
            <StopForm onDone={() => void loading.again()} />
          ) : (
            <NotForRole what="stops nothing" permission="change" />
          )}
        </Card>
      </div>
      {lifting !== null && (
        <Confirm
          title="Lift switch"
          act={() => setSwitch({ ...lifting, why: null })}
          onDone={() => {
            lift(null);
            void loading.again();
          }}
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
