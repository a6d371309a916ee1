import { time } from "../format.ts";
import { column, isoOf, type Column } from "./columns.tsx";
import { Badge } from "./page.tsx";

const tones = new Map(Object.entries({ works: "good", "not checked": "", disabled: "warn" }));

/** What a check or a call found. */
export interface Seen {
  state: string;
  /** for example “used this hour” */
  when: string;
  check: { at: number } | null | undefined;
  fault: string | null;
}

export const Health = ({ state, when, check, fault }: Seen) => (
  <>
    <Badge word={state} tone={tones.get(state) ?? "bad"} />{" "}
    <small class="nowrap" title={check ? `Checked ${time(check.at)}` : ""}>
      {when}
    </small>
    {fault !== null && <div class="note">{fault}</div>}
  </>
);

export const healthColumns = <Row,>(of: (row: Row) => Seen): Column<Row>[] => [
  column.of(
    "State",
    (row) => of(row).state,
    (row) => <Health {...of(row)} />,
  ),
  column.file("Error", (row) => of(row).fault),
  column.file("Last check", (row) => isoOf(of(row).check?.at)),
];
