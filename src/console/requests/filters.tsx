import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { useLoaded } from "../load.ts";
import { Choice, Field } from "../parts/form.tsx";
import { namesIn, type Names } from "../parts/named.tsx";
import type { Query } from "../parts/pages.tsx";
import { filters, momentIn } from "./live-list.ts";
import type { RequestRecord } from "./record.ts";

type Outcome = RequestRecord["outcome"];

const outcomes: readonly (readonly [Outcome | "", string])[] = [
  ["", "all"],
  ["admitted", "running or pending approval"],
  ["succeeded", "succeeded"],
  ["failed", "failed"],
  ["refused", "refused"],
  ["cancelled", "cancelled"],
  ["unknown", "unknown"],
];

interface FiltersProps {
  inAddress: Query;
  names: Names;
}

interface Offered {
  names: Names;
  models: readonly string[];
}

const modelsMs = 90 * 86_400_000;

/** Of the last 90 days; empty if there are too many figures. */
async function modelsUsedIn(): Promise<string[]> {
  const to = Date.now();
  const query = { from: to - modelsMs, to: to + 1, bucket: "day", by: "model" } as const;
  const found = await api.GET("/admin/v1/tenants/{tenant}/usage", query);
  return found.ok ? found.value.data.map(({ group }) => group) : [];
}

function useOffered(isWanted: boolean): Offered {
  const nothing: Offered = { names: {}, models: [] };
  const { loaded } = useLoaded(isWanted ? `filters` : "no filters", async () => {
    if (!isWanted) return { ok: true, value: nothing, tag: null };
    const [names, models] = await Promise.all([namesIn(), modelsUsedIn()]);
    return { ok: true, value: { names, models }, tag: null };
  });
  return loaded.state === "there" ? loaded.value : nothing;
}

const idPrefixes = { key: "key_", user: "usr_", server: "srv_" } as const;
const titles = { key: "Key", user: "Person", server: "Server" } as const;
const kinds = ["key", "server", "user"] as const;

/** Includes the address's value. */
function choicesOf(
  kind: keyof typeof idPrefixes,
  { query, names }: { query: Query[0]; names: Names },
): [id: string, name: string][] {
  const chosen = query[kind] ?? "";
  const known = Object.entries(names).filter(([id]) => id.startsWith(idPrefixes[kind]));
  const isKnown = chosen === "" || known.some(([id]) => id === chosen);
  const all = isKnown ? known : [...known, [chosen, chosen] as [string, string]];
  return [["", "all"], ...all.toSorted(([, one], [, other]) => one.localeCompare(other))];
}

/** Includes the address's value. */
function modelChoices(models: readonly string[], chosen: string): [id: string, name: string][] {
  const all = new Set([...models, chosen].filter((model) => model !== ""));
  return [["", "all"], ...[...all].toSorted().map((model): [string, string] => [model, model])];
}

export function Filters({ inAddress, names: shown }: FiltersProps) {
  const [query, change, type] = inAddress;
  const [isWanted, setWanted] = useState(false);
  const offered = useOffered(isWanted);
  const names = { ...shown, ...offered.names };
  const want = () => setWanted(true);
  const filter = (changes: Record<string, string>) => change({ ...changes, cursor: "" });
  const day = (name: "from" | "to", title: string) => (
    <Field
      title={title}
      name={name}
      type="date"
      value={query[name] ?? ""}
      {...(name === "from" ? { max: query["to"] } : { min: query["from"] })}
      onInput={(value) => type({ [name]: value, cursor: "" })}
    />
  );
  return (
    <div class="filters" role="search" aria-label="Filters" onPointerEnter={want} onFocusIn={want}>
      <Choice
        title="Outcome"
        name="outcome"
        value={(query["outcome"] ?? "") as Outcome | ""}
        options={outcomes}
        onInput={(outcome) => filter({ outcome })}
      />
      <Choice
        title="Answered by"
        name="model"
        value={query["model"] ?? ""}
        options={modelChoices(offered.models, query["model"] ?? "")}
        onInput={(model) => filter({ model })}
      />
      {kinds.map((kind) => (
        <Choice
          key={kind}
          title={titles[kind]}
          name={kind}
          value={query[kind] ?? ""}
          options={choicesOf(kind, { query, names })}
          onInput={(id) => filter({ [kind]: id })}
        />
      ))}
      {day("from", "From")}
      {day("to", "To")}
    </div>
  );
}

/** Omits empty values. Days are in the reader's zone. */
export const askedFor = (query: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    [...filters, "cursor", "limit"].flatMap((name) => {
      const value = query[name];
      return value ? [[name, momentIn(name, value)]] : [];
    }),
  );
