import { useState } from "preact/hooks";
import { dateText } from "../format.ts";
import { useLoaded, valueIn } from "../load.ts";
import { failedOrRefused } from "../overview-figures.ts";
import { Fields, type FieldOf } from "../parts/form.tsx";
import type { Query } from "../parts/list-page.tsx";
import { namesIn, type Names } from "../parts/named.tsx";
import { FoldedFilters } from "../parts/page.tsx";
import { topUsage } from "../parts/spend.tsx";
import { ok } from "../problem.ts";
import { pendingWord } from "./cause.ts";

const dayMs = 86_400_000;
const since = (days: number): Names => ({ from: dateText(Date.now() - days * dayMs), to: "" });
const between = "from … to";
const ends = ["succeeded", "failed", "refused", "cancelled", "unknown"];

/** Members of the address by field and by the words for them. */
const presetsOf = (): Record<string, Record<string, Names>> => ({
  outcome: {
    all: { outcome: "", held: "" },
    running: { outcome: "", held: "false" },
    [pendingWord]: { outcome: "", held: "true" },
    "failed or refused": { outcome: failedOrRefused, held: "" },
    ...Object.fromEntries(ends.map((outcome) => [outcome, { outcome, held: "" }])),
  },
  time: {
    all: { from: "", to: "" },
    today: since(0),
    "last 7 days": since(6),
    "last 30 days": since(29),
    [between]: { from: dateText(Date.now()), to: dateText(Date.now()) },
  },
});

/** With the models of the last 90 days, each under its own name. */
async function offeredNow(): Promise<Names> {
  const range = { from: Date.now() - 90 * dayMs, limit: 200 };
  const [names, used] = await Promise.all([namesIn(), topUsage({ by: ["model"], ...range })]);
  const models = used.ok ? used.value.data.map(({ group }) => [group, group]) : [];
  return { ...names, ...(Object.fromEntries(models) as Names) };
}

/** by the values that are offered; without any, it is shown only while it is set */
const choices = [
  ["model", "Model", /\//],
  ["key", "Key", /^key_/],
  ["user", "Person", /^usr_/],
  ["server", "Server", /^srv_/],
  ["session", "Session", null],
] as const;

/** Links from usage have ms since the epoch. */
const dayIn = (value = ""): string => (/^\d{9,}$/.test(value) ? dateText(Number(value)) : value);

function draftOf({ from, to, ...query }: Names, presets: ReturnType<typeof presetsOf>): Names {
  const all: Names = { ...query, from: dayIn(from), to: dayIn(to) };
  const preset = (name: string, otherwise: string): string =>
    Object.entries(presets[name] ?? {}).find(([, members]) =>
      Object.entries(members).every(([member, value]) => (all[member] ?? "") === value),
    )?.[0] ?? otherwise;
  return { ...all, outcome: preset("outcome", "all"), time: preset("time", between) };
}

type FiltersProps = { isFiltered: boolean; names: Names; open: (id: string) => void };

export function Filters(props: FiltersProps & { inAddress: Query }) {
  const [query, change, type] = props.inAddress;
  const [isWanted, setWanted] = useState(false);
  const want = () => setWanted(true);
  const loading = useLoaded(`filters ${isWanted}`, async () =>
    ok(isWanted ? await offeredNow() : {}),
  );
  const presets = presetsOf();
  const draft = draftOf(query, presets);
  const names: Names = { ...props.names, ...valueIn(loading) };
  const wordsOf = (name: string) =>
    Object.keys(presets[name] ?? {}).map((each) => [each, each] as const);
  /** Includes the chosen value. */
  const choice = ([name, title, known]: (typeof choices)[number]): FieldOf<Names> | [] => {
    const chosen = query[name];
    const options = Object.entries({ ...(chosen && { [chosen]: chosen }), ...names })
      .filter(([value]) => value === chosen || known?.test(value))
      .toSorted(([, one], [, other]) => one.localeCompare(other));
    return known || chosen ? { name, title, options: [["", "all"], ...options] } : [];
  };
  const days: FieldOf<Names>[] = [
    { name: "from", title: "From", type: "date", max: draft["to"] },
    { name: "to", title: "To", type: "date", min: draft["from"] },
  ];
  const fields: FieldOf<Names>[] = [
    { name: "id", title: "Id, or its end" },
    { name: "outcome", title: "Outcome", options: wordsOf("outcome") },
    ...choices.flatMap(choice),
    { name: "time", title: "Time", options: wordsOf("time") },
    ...(draft["time"] === between ? days : []),
  ];
  const filter = (changes: Partial<Names>): void => {
    const [[name, value = ""] = [""]] = Object.entries(changes);
    const id = value.toLowerCase().replace(/\W/g, "");
    if (name === "id" && /^req_\w{26}$/.test(id)) props.open(id);
    else if (name === "id") type({ id, cursor: "" });
    else if (name === "from" || name === "to") type({ [name]: value, cursor: "" });
    else change({ ...(presets[name]?.[value] ?? { [name]: value }), cursor: "" });
  };
  return (
    <FoldedFilters isSet={props.isFiltered} want={want}>
      <Fields of={fields} draft={draft} change={filter} />
    </FoldedFilters>
  );
}
