import { useState } from "preact/hooks";
import { useLoaded, valueIn } from "../load.ts";
import { Fields, type FieldOf } from "../parts/form.tsx";
import type { Query } from "../parts/list-page.tsx";
import { namesIn, type Names } from "../parts/named.tsx";
import { topUsage } from "../parts/spend.tsx";
import { ok } from "../problem.ts";
import { pendingWord } from "./cause.ts";

type Members = Readonly<Record<string, string>>;
type Options = readonly (readonly [value: string, title: string])[];

const dayMs = 86_400_000;
/** For a `date` field, in the reader's zone. */
const dayText = (ms: number): string => new Date(ms).toLocaleDateString("sv");
const since = (days: number): Members => ({ from: dayText(Date.now() - days * dayMs), to: "" });
const between = "from … to";
const ends = ["succeeded", "failed", "refused", "cancelled", "unknown"];

/** Members of the address by field and by the words for them. */
const presetsOf = (): Record<string, Record<string, Members>> => ({
  outcome: {
    all: { outcome: "", held: "" },
    running: { outcome: "", held: "false" },
    [pendingWord]: { outcome: "", held: "true" },
    ...Object.fromEntries(ends.map((outcome) => [outcome, { outcome, held: "" }])),
  },
  time: {
    all: { from: "", to: "" },
    today: since(0),
    "last 7 days": since(6),
    "last 30 days": since(29),
    [between]: { from: dayText(Date.now()), to: dayText(Date.now()) },
  },
});

/** Of the last 90 days. */
async function modelsUsedIn(): Promise<string[]> {
  const found = await topUsage({ by: ["model"], from: Date.now() - 90 * dayMs, limit: 200 });
  return found.ok ? found.value.data.flatMap(({ group }) => group || []) : [];
}

const nothing: { names: Names; models: readonly string[] } = { names: {}, models: [] };

function useOffered(isWanted: boolean): typeof nothing {
  const loading = useLoaded(isWanted ? "filters" : "no filters", async () => {
    if (!isWanted) return ok(nothing);
    const [names, models] = await Promise.all([namesIn(), modelsUsedIn()]);
    return ok({ names, models });
  });
  return valueIn(loading) ?? nothing;
}

type Draft = Record<string, string>;
const plain = ["id", "model", "key", "user", "server", "session", "from", "to"];

function draftOf(query: Query[0], presets: ReturnType<typeof presetsOf>): Draft {
  const of = (name: string): string => query[name] ?? "";
  const preset = (name: string, otherwise: string): string =>
    Object.entries(presets[name] ?? {}).find(([, members]) =>
      Object.entries(members).every(([member, value]) => of(member) === value),
    )?.[0] ?? otherwise;
  // Links from usage have ms since the epoch.
  const shown = (value: string): string =>
    /^\d{9,}$/.test(value) ? dayText(Number(value)) : value;
  return {
    ...Object.fromEntries(plain.map((name) => [name, shown(of(name))])),
    outcome: preset("outcome", "all"),
    time: preset("time", between),
  };
}

/** Includes the chosen value. */
function choice(title: string, known: Options, [name, chosen = ""]: [string, string | undefined]) {
  const all = new Map([...(chosen === "" ? [] : [[chosen, chosen] as const]), ...known]);
  const sorted = [...all].toSorted(([, one], [, other]) => one.localeCompare(other));
  return { name, title, options: [["", "all"] as const, ...sorted] };
}

type FiltersProps = { inAddress: Query; names: Names; open: (id: string) => void };

export function Filters({ inAddress: [query, change, type], names, open }: FiltersProps) {
  const [isWanted, setWanted] = useState(false);
  const offered = useOffered(isWanted);
  const want = () => setWanted(true);
  const presets = presetsOf();
  const draft = draftOf(query, presets);
  const words = (name: string): Options =>
    Object.keys(presets[name] ?? {}).map((each) => [each, each] as const);
  const named = (prefix: string): Options =>
    Object.entries({ ...names, ...offered.names }).filter(([id]) => id.startsWith(prefix));
  const models = offered.models.map((model) => [model, model] as const);
  const fields: FieldOf<Draft>[] = [
    { name: "id", title: "Id, or its end" },
    { name: "outcome", title: "Outcome", options: words("outcome") },
    choice("Model", models, ["model", query["model"]]),
    choice("Key", named("key_"), ["key", query["key"]]),
    choice("Person", named("usr_"), ["user", query["user"]]),
    choice("Server", named("srv_"), ["server", query["server"]]),
    ...(query["session"] ? [choice("Session", [], ["session", query["session"]])] : []),
    { name: "time", title: "Time", options: words("time") },
    ...(draft["time"] === between
      ? ([
          { name: "from", title: "From", type: "date", max: query["to"] },
          { name: "to", title: "To", type: "date", min: query["from"] },
        ] as const)
      : []),
  ];
  const filter = (changes: Partial<Draft>): void => {
    const [[name, value = ""] = [""]] = Object.entries(changes);
    const id = value.toLowerCase().replace(/\W/g, "");
    if (name === "id" && /^req_\w{26}$/.test(id)) open(id);
    else if (name === "id") type({ id, cursor: "" });
    else if (name === "from" || name === "to") type({ [name]: value, cursor: "" });
    else change({ ...(presets[name]?.[value] ?? { [name]: value }), cursor: "" });
  };
  return (
    <div class="filters" role="search" aria-label="Filters" onPointerEnter={want} onFocusIn={want}>
      <Fields of={fields} draft={draft} change={filter} />
    </div>
  );
}
