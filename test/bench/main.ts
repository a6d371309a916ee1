/** `npm run bench`: see `--help`. Exits 1 when an answer was wrong or a round trip too many. */
import { tmpdir } from "node:os";
import { createEnding } from "../../src/start/ending.ts";
import { benchCaching } from "./caching.ts";
import { benchChoice } from "./choose.ts";
import { compare, expectedSeconds } from "./compare.ts";
import { benchConsole, typicalConsoleRecords } from "./console.ts";
import { benchDirectory, typicalTenants } from "./directory.ts";
import { benchExport, defaultRecords } from "./export.ts";
import { benchFloods } from "./flood.ts";
import { benchLedger } from "./ledger.ts";
import { ledgerDatabases } from "./ledger-databases.ts";
import { benchModels } from "./models.ts";
import { benchNodes } from "./nodes.ts";
import { benchNeighbours, typicalRounds } from "./neighbours.ts";
import { help, parseOptions } from "./options.ts";
import { benchProfile } from "./profile.ts";
import { benchProxy } from "./proxy.ts";
import { tripsReport } from "./report.ts";
import { beyondBudget, countRoundTrips } from "./round-trips.ts";
import { benchRows, typicalRecords } from "./rows.ts";
import { subjectsWith } from "./subjects.ts";
import { benchTenants } from "./tenants.ts";

// Tests have their databases in memory, where a commit waits for no disk. What is measured waits.
process.env["TMPDIR"] ??= tmpdir();

/** Whatever takes twice as long as it should, and this, hangs. */
const spareMs = 120_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ending = createEnding();
let interrupted = false;

async function end(code: number): Promise<never> {
  await ending.run();
  process.exit(code);
}

async function benchPairs(args: string[]): Promise<string[]> {
  const options = parseOptions(args);
  if (options === null) {
    say(`${help}\nSubjects:`);
    for (const { name, title } of subjectsWith(null)) say(`  ${name.padEnd(22)}${title}`);
    return [];
  }
  setTimeout(
    () => {
      say("The bench hangs; ended.");
      void end(1);
    },
    2 * expectedSeconds(options) * 1_000 + spareMs,
  ).unref();
  const began = performance.now();
  const faults = await compare(options, ending, say);
  const took = `in ${Math.round((performance.now() - began) / 1_000)} s`;
  if (faults.length === 0) say(`\nEvery answer was right, ${took}.`);
  return faults;
}

/** Each says what is wrong; nothing: all is well. */
const commands: Record<string, (args: readonly string[]) => Promise<string[]>> = {
  async choose() {
    await benchChoice(say);
    return [];
  },
  caching: () => benchCaching(say),
  async trips() {
    const counted = await countRoundTrips(ending, say);
    say(`\nDatabase round trips of a request:\n${tripsReport(counted)}`);
    return beyondBudget(counted).map((text) => `round trips beyond the budget: ${text}`);
  },
  profile: (args) => benchProfile(args, ending, say),
  async proxy(args) {
    const missed = await benchProxy(args, ending, say);
    for (const fault of missed) say(`  beyond the limit: ${fault}`);
    return [];
  },
  async flood(args) {
    await benchFloods(args, ending, say);
    return [];
  },
  neighbours: ([rounds]) => benchNeighbours(Number(rounds ?? typicalRounds), ending, say),
  tenants: (args) => benchTenants(args, ending, say),
  directory: ([tenants]) => benchDirectory(Number(tenants ?? typicalTenants), say),
  rows: ([records]) => benchRows(Number(records ?? typicalRecords), say),
  models: (args) => benchModels(args, ending, say),
  nodes: (args) => benchNodes(args, say),
  export: ([records]) => benchExport(Number(records ?? defaultRecords), say),
  console: ([records]) => benchConsole(Number(records ?? typicalConsoleRecords), ending, say),
  ledger(args) {
    const databases = args.filter((each) => !/^\d+$/.test(each));
    const max = Number(args.find((each) => /^\d+$/.test(each)) ?? 10_000_000);
    return benchLedger(
      { databases: databases.length === 0 ? ledgerDatabases : databases, max },
      say,
    );
  },
};

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    if (interrupted) process.exit(130);
    interrupted = true;
    say("Ending.");
    void end(130);
  });
try {
  const [what = "", ...rest] = process.argv.slice(2);
  const command = Object.hasOwn(commands, what) ? commands[what] : undefined;
  const faults = await (command?.(rest) ?? benchPairs(process.argv.slice(2)));
  for (const fault of faults) say(`FAILED: ${fault}`);
  await end(faults.length === 0 ? 0 : 1);
} catch (cause) {
  // What Ctrl-C took away is missed by what was under way.
  if (!interrupted) {
    say(`bench: ${cause instanceof Error ? cause.message : String(cause)}`);
    await end(1);
  }
}
