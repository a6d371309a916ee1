/** What the command line asks for. */
import { parseArgs } from "node:util";

export const subjectNames = ["provider", "pass-through", "router on D1", "router on libSQL"];
export type SubjectName = string;

export interface Options {
  /** turns that every subject has at every concurrency */
  rounds: number;
  /** s of one turn */
  seconds: number;
  /** s of load that each subject gets before anything is measured */
  warmUpSeconds: number;
  concurrencies: number[];
  subjects: SubjectName[];
  countRoundTrips: boolean;
  /** where the raw figures go; null: nowhere */
  json: string | null;
}

export const help = `npm run bench -- [options]

What the router costs, on this machine, over loopback alone. One closed-loop load generator asks in
turns: a local provider directly; a bare Hono + fetch pass-through in workerd; the router in workerd
on D1; the router in workerd on the real libSQL server. Every answer is checked; a wrong one fails
the run. Then the database round trips of single requests are counted; more than two before the
provider cold, one warm, or one after it fail the run too.

  caching             prompt caching: a loop of ten rounds with and without, simulated
  choose              only the choice itself, with 5,000 models in the catalogue
  proxy [ROUNDS]      what the proxy adds to messages that sample nothing (8 rounds, four minutes)
  flood [defaults] [d1] [libsql] [CHECKOUT]
                      the libSQL server with its own defaults under load, then one tenant's flood beside
                      another tenant's calls; with a CHECKOUT, in turns with that version (minutes)
  export [N]          only sealing, export and verification of N records (100,000) in a file, with peak memory

  ledger [RECORDS] [file] [sqld] [d1]
                      admission, settlement, lists and usage in a table of 10,000 records, then of
                      RECORDS (10,000,000 in a file: about 15 GB and half an hour; 1,000,000 elsewhere)

  --quick             about half a minute, for a first look
  --rounds N          turns of every subject at every concurrency (5)
  --seconds S         length of one turn (2)
  --warm-up S         load on each subject before anything is measured (3)
  --concurrency LIST  callers at once (1,16,64)
  --subjects LIST     some of: ${subjectNames.map((name) => name.replaceAll(" ", "-")).join(", ")}
  --no-round-trips    leave the counting out
  --json FILE         raw figures, every turn by itself
  --help              this

It ends by itself; Ctrl-C ends it and everything that it started.
Settings of the environment: TMPDIR, where both databases' files are.
`;

export function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 10_000)) throw new Error(`--${name} must be a number above 0`);
  return value;
}

const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

function subjectsOf(text: string | undefined): SubjectName[] {
  if (text === undefined) return subjectNames;
  const wanted = listOf(text);
  const named = subjectNames.filter((name) => wanted.includes(name.replaceAll(" ", "-")));
  if (named.length !== wanted.length || wanted.length === 0)
    throw new Error("--subjects names something that is not there; see --help");
  return named;
}

/** null: help was asked for. Throws, with a sentence, on what it doesn't understand. */
export function parseOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      seconds: { type: "string" },
      "warm-up": { type: "string" },
      concurrency: { type: "string", default: "1,16,64" },
      subjects: { type: "string" },
      "no-round-trips": { type: "boolean", default: false },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const preset = values.quick
    ? { rounds: "2", seconds: "0.7", warmUp: "0.7" }
    : { rounds: "5", seconds: "2", warmUp: "3" };
  return {
    rounds: Math.ceil(positive("rounds", values.rounds ?? preset.rounds)),
    seconds: positive("seconds", values.seconds ?? preset.seconds),
    warmUpSeconds: positive("warm-up", values["warm-up"] ?? preset.warmUp),
    concurrencies: listOf(values.concurrency).map((text) =>
      Math.ceil(positive("concurrency", text)),
    ),
    subjects: subjectsOf(values.subjects),
    countRoundTrips: !values["no-round-trips"],
    json: values.json ?? null,
  };
}
