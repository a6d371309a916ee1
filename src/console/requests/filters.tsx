/** Which requests a list shows. The choice stands in the address, so that a link leads to it. */
import { Choice, Field } from "../parts/form.tsx";
import type { RequestRecord } from "./record.ts";

type Outcome = RequestRecord["outcome"];

const outcomes: readonly (readonly [Outcome | "", string])[] = [
  ["", "every outcome"],
  ["admitted", "still runs"],
  ["succeeded", "succeeded"],
  ["failed", "failed"],
  ["refused", "refused"],
  ["cancelled", "cancelled"],
  ["unknown", "unknown"],
];
const sizes: readonly (readonly [string, string])[] = [
  ["", "50"],
  ["100", "100"],
  ["200", "200"],
];

export const filters = [
  "outcome",
  "model",
  "key",
  "user",
  "server",
  "session",
  "from",
  "to",
] as const;

interface FiltersProps {
  query: Readonly<Record<string, string>>;
  change: (changes: Record<string, string>) => void;
  /** of keys, people and servers, by id */
  names: Readonly<Record<string, string>>;
}

const idPrefixes = { key: "key_", user: "usr_", server: "srv_" } as const;
const titles = { key: "Key", user: "Person", server: "Server" } as const;
const kinds = ["key", "server", "user"] as const;

/** The keys, people or servers whose names are known, and the one that the address names. */
function choicesOf(
  kind: keyof typeof idPrefixes,
  { query, names }: Pick<FiltersProps, "query" | "names">,
): [id: string, name: string][] {
  const chosen = query[kind] ?? "";
  const known = Object.entries(names).filter(([id]) => id.startsWith(idPrefixes[kind]));
  const isKnown = chosen === "" || known.some(([id]) => id === chosen);
  const all = isKnown ? known : [...known, [chosen, chosen] as [string, string]];
  return [
    ["", `every ${titles[kind].toLowerCase()}`],
    ...all.toSorted(([, one], [, other]) => one.localeCompare(other)),
  ];
}

export function Filters({ query, change, names }: FiltersProps) {
  // Another filter begins at the newest.
  const filter = (changes: Record<string, string>) => change({ ...changes, cursor: "" });
  const field = (name: (typeof filters)[number], title: string, placeholder: string) => (
    <Field
      title={title}
      name={name}
      value={query[name] ?? ""}
      placeholder={placeholder}
      onInput={(value) => filter({ [name]: value.trim() })}
    />
  );
  const day = (name: "from" | "to", title: string) => (
    <Field
      title={title}
      name={name}
      type="date"
      value={query[name] ?? ""}
      onInput={(value) => filter({ [name]: value })}
    />
  );
  return (
    <div class="filters" role="search" aria-label="Filters">
      <Choice
        title="Outcome"
        name="outcome"
        value={(query["outcome"] ?? "") as Outcome | ""}
        options={outcomes}
        onInput={(outcome) => filter({ outcome })}
      />
      {field("model", "Model", "openai/gpt-5.4-mini")}
      {kinds.map((kind) => {
        const options = choicesOf(kind, { query, names });
        // Most tenants have no people.
        if (kind === "user" && options.length === 1) return null;
        return (
          <Choice
            key={kind}
            title={titles[kind]}
            name={kind}
            value={query[kind] ?? ""}
            options={options}
            onInput={(id) => filter({ [kind]: id })}
          />
        );
      })}
      {day("from", "From (UTC)")}
      {day("to", "To (UTC)")}
      <Choice
        title="Rows"
        name="limit"
        value={query["limit"] ?? ""}
        options={sizes}
        onInput={(limit) => filter({ limit })}
      />
    </div>
  );
}

/** As the API takes it: what is empty is left out. */
export const askedFor = (query: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    [...filters, "cursor", "limit"].flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
  );
