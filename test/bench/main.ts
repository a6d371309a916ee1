/** `npm run bench`: see `--help`. Exits 1 when an answer was wrong or a round trip too many. */
import { writeFileSync } from "node:fs";
import { createEnding } from "../../src/start/ending.ts";
import { benchCaching } from "./caching.ts";
import { benchChoice } from "./choose.ts";
import { benchLedger } from "./ledger.ts";
import { ledgerDatabases } from "./ledger-databases.ts";
import { benchExport, defaultRecords } from "./export.ts";
import { benchFloods } from "./flood.ts";
import { compared, figuresOf, type Figures } from "./figures.ts";
import { runTurn, type Target, type Turn } from "./load.ts";
import { help, parseOptions, positive, type Options, type SubjectName } from "./options.ts";
import { figuresTable, machine, timingTable, tripsReport } from "./report.ts";
import { benchProxy } from "./proxy.ts";
import { beyondBudget, countRoundTrips, type Counted } from "./round-trips.ts";
import { startSubjects } from "./subjects.ts";

/** Nothing here takes that long, so something hangs. */
const atMostMs = 420_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ending = createEnding();
let interrupted = false;

/** Everybody's turn at one concurrency, then at the next: drift of the machine hits all alike. */
async function measure(
  targets: ReadonlyMap<SubjectName, Target>,
  options: Options,
): Promise<Figures[]> {
  const { rounds, seconds, warmUpSeconds, concurrencies } = options;
  const cells = [...targets].flatMap(([subject, target]) =>
    concurrencies.map((concurrency) => ({ subject, target, concurrency, turns: [] as Turn[] })),
  );
  for (const [subject, target] of targets) {
    say(`warming up: ${subject}`);
    const warmed = await runTurn(target, { concurrency: 16, seconds: warmUpSeconds });
    if (warmed.wrong > 0) throw new Error(`${subject}: ${warmed.firstWrong}`);
  }
  for (let round = 1; round <= rounds; round += 1)
    for (const concurrency of concurrencies) {
      const rates: string[] = [];
      for (const cell of cells.filter((each) => each.concurrency === concurrency)) {
        const turn = await runTurn(cell.target, { concurrency, seconds });
        cell.turns.push(turn);
        rates.push(String(Math.round(turn.answers / turn.measuredSeconds)));
        if (turn.wrong > 0) say(`  ${cell.subject}: ${turn.wrong} wrong, ${turn.firstWrong}`);
      }
      say(`round ${round} of ${rounds}, c=${concurrency}: ${rates.join(" / ")} rps`);
    }
  return compared(
    cells.map(({ subject, concurrency, turns }) => figuresOf(subject, concurrency, turns)),
  );
}

function faultsOf(figures: readonly Figures[], counted: readonly Counted[]): string[] {
  return [
    ...figures
      .filter(({ wrong, measured }) => wrong > 0 || measured === 0)
      .map(
        ({ subject, concurrency, asked, wrong, firstWrong }) =>
          `${subject}, c=${concurrency}: ${wrong} of ${asked} answers wrong; the first: ${firstWrong}`,
      ),
    ...beyondBudget(counted).map((text) => `round trips beyond the budget: ${text}`),
  ];
}

async function run(options: Options): Promise<string[]> {
  const about = machine();
  const machineLine = Object.entries(about)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
  say(machineLine);
  const counted = options.countRoundTrips ? await countRoundTrips(ending, say) : [];
  const targets = await startSubjects(options.subjects, ending, say);
  const figures = await measure(targets, options);
  const faults = faultsOf(figures, counted);

  say(`\n${machineLine}\nLoad generator, provider, workerd and database share these cores.\n`);
  say(figuresTable(figures));
  say(
    "\nbare: the pass-through. spread: rps of the turns, (highest - lowest) / mean. cpu: per request, of the process that answers.",
  );
  if (figures.some(({ timing }) => timing !== null))
    say(`\nWhere the router's time went, mean ms by its own clock:\n${timingTable(figures)}`);
  if (counted.length > 0) say(`\nDatabase round trips per request:\n${tripsReport(counted)}`);
  if (options.json !== null)
    writeFileSync(
      options.json,
      `${JSON.stringify({ machine: about, options, figures, roundTrips: counted, faults }, null, 2)}\n`,
    );
  return faults;
}

async function end(code: number): Promise<never> {
  await ending.run();
  process.exit(code);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    if (interrupted) process.exit(130);
    interrupted = true;
    say("Ending.");
    void end(130);
  });
try {
  const [what, ...rest] = process.argv.slice(2);
  const isOwn = ["caching", "choose", "ledger", "export", "proxy", "flood"].includes(what ?? "");
  const options = isOwn ? null : parseOptions(process.argv.slice(2));
  if (what === "choose" && rest.length === 0) {
    await benchChoice(say);
    await end(0);
  } else if (what === "caching" && rest.length === 0) {
    const faults = await benchCaching(say);
    for (const fault of faults) say(`FAILED: ${fault}`);
    await end(faults.length === 0 ? 0 : 1);
  } else if (what === "proxy") {
    const faults = await benchProxy(ending, Math.ceil(positive("rounds", rest[0] ?? "8")), say);
    for (const fault of faults) say(`  above the aim: ${fault}`);
    await end(0);
  } else if (what === "flood") {
    await benchFloods(rest, ending, say);
    await end(0);
  } else if (what === "export") {
    const faults = await benchExport(Number(rest[0] ?? defaultRecords), say);
    for (const fault of faults) say(`FAILED: ${fault}`);
    await end(faults.length === 0 ? 0 : 1);
  } else if (what === "ledger") {
    const databases = rest.filter((each) => !/^\d+$/.test(each));
    const faults = await benchLedger(
      {
        databases: databases.length === 0 ? ledgerDatabases : databases,
        most: Number(rest.find((each) => /^\d+$/.test(each)) ?? 10_000_000),
      },
      say,
    );
    for (const fault of faults) say(`  ${fault}`);
    await end(faults.length === 0 ? 0 : 1);
  } else if (options === null) {
    say(help.trimEnd());
    await end(0);
  } else {
    setTimeout(() => {
      say("The bench hangs; ended.");
      void end(1);
    }, atMostMs).unref();
    const began = performance.now();
    const faults = await run(options);
    const asked = `in ${Math.round((performance.now() - began) / 1_000)} s`;
    say(faults.length === 0 ? `\nEvery answer was right, ${asked}.` : `\nFAILED, ${asked}:`);
    for (const fault of faults) say(`  ${fault}`);
    await end(faults.length === 0 ? 0 : 1);
  }
} catch (cause) {
  // What Ctrl-C took away is missed by what was under way.
  if (!interrupted) {
    say(`bench: ${cause instanceof Error ? cause.message : String(cause)}`);
    await end(1);
  }
}
