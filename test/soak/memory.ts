/** Callers that ask for long: the memory of the router that answers them is flat. */
import { createEnding } from "../../src/start/ending.ts";
import { startChild } from "../bench/child.ts";
import { median } from "../bench/figures.ts";
import { runTurn } from "../bench/load.ts";
import { subjectsWith } from "../bench/subjects.ts";

/** s of load between two looks. */
const betweenLooks = 15;
/** s of load before the first look: V8 compiles, and grows its heap to what the load needs. */
const warmUp = 30;
/** More than this, from the second quarter of the looks to the last, counts as growth. */
const maxGrowth = 1.1;

const quarter = (looks: readonly number[], which: number): readonly number[] =>
  looks.slice(Math.floor((looks.length * which) / 4), Math.ceil((looks.length * (which + 1)) / 4));

export async function soakMemory(
  about: { subject: string; minutes: number; callers: number },
  say: (line: string) => void,
): Promise<string[]> {
  const { minutes, callers } = about;
  const subject = subjectsWith(null).find(({ name }) => name === about.subject);
  if (subject === undefined) return [`there is no ${about.subject}`];
  const ending = createEnding();
  const faults: string[] = [];
  try {
    const provider = await startChild<{ url: string }>("provider-process.ts", {}, ending);
    const target = await subject.start({ provider, ending, say });
    await runTurn(target, { concurrency: callers, seconds: warmUp });
    const looks: number[] = [];
    const until = performance.now() + minutes * 60_000;
    while (performance.now() < until) {
      const { memoryMib, answers, measuredSeconds, wrong, firstWrong } = await runTurn(target, {
        concurrency: callers,
        seconds: betweenLooks,
      });
      if (wrong > 0) faults.push(`${wrong} answers were wrong; the first: ${firstWrong}`);
      looks.push(memoryMib ?? Number.NaN);
      say(`${looks.at(-1)?.toFixed(0)} MiB, ${(answers / measuredSeconds).toFixed(0)} rps`);
    }
    const [early, late] = [median(quarter(looks, 1)), median(quarter(looks, 3))];
    say(`second quarter ${early.toFixed(0)} MiB, last quarter ${late.toFixed(0)} MiB`);
    if (!(late <= early * maxGrowth)) faults.push("memory grew");
    return faults;
  } finally {
    await ending.run();
  }
}
