/** What the command line asks for. */
import { parseArgs } from "node:util";
import { proxiedKinds } from "./proxied.ts";

/** How each pair of subjects is measured. */
export interface Measuring {
  /** pairs of turns at every concurrency */
  turns: number;
  /** s of one turn */
  seconds: number;
  /** s of load that each subject gets at every concurrency before anything is measured */
  warmUpSeconds: number;
  concurrencies: number[];
}

export interface Options extends Measuring {
  /** each from the start of its subjects to their end */
  runs: number;
  /** names of subject and baseline */
  pairs: { subject: string; baseline: string }[];
  /** another checkout of the router, compared with this one; null: none */
  before: string | null;
  /** whether the figures go into docs/benchmarks.md */
  write: boolean;
  /** where the raw figures go; null: nowhere */
  json: string | null;
}

export const defaultPairs = [
  "self-hosted:node-pass-through",
  "self-hosted:portkey",
  "self-hosted-libsql:node-pass-through",
  "worker:workerd-pass-through",
];
/** With a version before: what it is compared with. */
const beforePairs = [
  "self-hosted:self-hosted-before",
  "self-hosted-libsql:self-hosted-libsql-before",
  "worker:worker-before",
];

export const help = `npm run bench -- [options]

What the router costs, on this machine, over loopback alone, in pairs: two subjects are started, one
closed-loop load generator asks them in turns, and both end before the next pair begins. Every answer
is checked; a wrong one fails the run. Each pair of turns has its ratio; the median of them counts.

  caching             prompt caching: a loop of ten rounds with and without, simulated
  choose              only the choice itself, with 5,000 models in the catalogue
  trips               database round trips of single requests; more than two before the provider cold,
                      one warm, or one after it fail
  profile [SUBJECT] [--concurrency 64] [--seconds 10] [--warm-up 10] [--raw FOLDER] [--proxied KIND]
                      where the CPU of a request goes, by room, module and function, in every thread or
                      isolate of self-hosted, self-hosted-libsql, worker or worker-libsql (the first and third);
                      with --proxied of a message that samples nothing: ${proxiedKinds.join(", ")}
  proxy [TURNS] [node] [workerd] [--bare] [--before CHECKOUT] [--kinds LIST] [--concurrency 1,16] [--seconds 5]
        [--warm-up 10]
                      what the proxy adds to messages that sample nothing, beside a pass-through that reads the
                      stream, on each host: 7 pairs of turns, 13 minutes a host. Also in what a bare pass-through
                      adds (--bare), and in what another version of the router adds (--before)
  flood [defaults] [objects] [libsql] [CHECKOUT]
                      the libSQL server with its own defaults under load, then one tenant's flood beside
                      another tenant's calls; with a CHECKOUT, in turns with that version (minutes)
  tenants [spread] [waves] [N]
                      the Worker with 1,000 tenants beside one, then with N (10,000) in waves of 500 with eviction
                      between: memory, and the first call of a new tenant
  models [SECONDS] [STREAMS]
                      a model endpoint beside a pass-through and Portkey's gateway (5, 1000)
  neighbours [ROUNDS] what a tenant of the Worker notices of another one's flood, and of its blocked object (7)
  export [N]          only sealing, export and verification of N records (100,000) in a file, with peak memory

  console [N]         lists of the admin API over one tenant with N records (1,000,000), and each console page's first
                      useful paint in Chromium; above 100 ms and 1 s it fails
  directory [N]       an operator's lists over N tenants (100,000), each with a database of its own; above 100 ms it fails
  rows [N]            bytes of a finished record by table, index and column, from N typical records (10,000),
                      and the rows that one admission and one settlement write; above 1,500 bytes it fails
  ledger [RECORDS] [file] [sqld] [object]
                      admission, settlement, lists and usage in a table of 10,000 records, then of
                      RECORDS (10,000,000 in a file: about 15 GB and half an hour; 1,000,000 elsewhere)

  --pairs LIST        SUBJECT:BASELINE, with commas between; as default
                      ${defaultPairs.join(",\n                      ")}
  --before CHECKOUT   another version of the router, as the scripts of that directory start it: its subjects
                      have -before at the end of their names, and they are the default's baselines
  --concurrency LIST  callers at once (1,64)
  --turns N           pairs of turns at every concurrency, in ABBA order (7)
  --seconds S         length of one turn (5)
  --warm-up S         load on each of the two at every concurrency, before anything is measured (10)
  --runs N            of everything, each with fresh subjects (1); a figure counts from the median of three
  --write             table and plot go into docs/benchmarks.md in place of those there, unless the machine is busy
  --quick             two pairs of turns of 0.7 s, for a first look
  --json FILE         raw figures
  --help              this, and the names of all subjects

It ends by itself; Ctrl-C ends it and everything that it started. The first run with portkey installs
what test/bench/peers names into node_modules/.cache (25 MB).
Settings of the environment: TMPDIR, where both databases' files are.
`;

export function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 10_000)) throw new Error(`--${name} must be a number above 0`);
  return value;
}

const whole = (name: string, text: string): number => Math.ceil(positive(name, text));

const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

function pairOf(text: string): Options["pairs"][number] {
  const [subject, baseline, ...rest] = text.split(":");
  if (!subject || !baseline || rest.length > 0 || subject === baseline)
    throw new Error(`--pairs has ${text}, which is not SUBJECT:BASELINE`);
  return { subject, baseline };
}

/** null: help was asked for. Throws, with a sentence, on what it doesn't understand. */
export function parseOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      pairs: { type: "string" },
      before: { type: "string" },
      concurrency: { type: "string", default: "1,64" },
      turns: { type: "string" },
      seconds: { type: "string" },
      "warm-up": { type: "string" },
      runs: { type: "string", default: "1" },
      write: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const preset = values.quick
    ? { turns: "2", seconds: "0.7", warmUp: "0.7" }
    : { turns: "7", seconds: "5", warmUp: "10" };
  const before = values.before ?? null;
  const ofDefault = before === null ? defaultPairs : beforePairs;
  return {
    turns: whole("turns", values.turns ?? preset.turns),
    seconds: positive("seconds", values.seconds ?? preset.seconds),
    warmUpSeconds: positive("warm-up", values["warm-up"] ?? preset.warmUp),
    concurrencies: listOf(values.concurrency).map((text) => whole("concurrency", text)),
    runs: whole("runs", values.runs),
    pairs: (values.pairs === undefined ? ofDefault : listOf(values.pairs)).map(pairOf),
    before,
    write: values.write,
    json: values.json ?? null,
  };
}
