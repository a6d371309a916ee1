/** A start has settings and no arguments. Plain JavaScript, as the programs are that begin with it. */
import process from "node:process";

/**
 * Ends the process with a problem, whose text may be a file's: no character of it steers the terminal.
 * @param {string} problem
 * @returns {never}
 */
export function fail(problem) {
  const shown = problem.replace(
    /[^\P{C}\n]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  process.stderr.write(`sampling-router: ${shown}\n`);
  process.exit(1);
}

/**
 * Answers `--help` and refuses every other argument, and ends the process in both cases. A start that ignored
 * `--port 9000` would listen elsewhere than it was told.
 * @param {readonly string[]} args what stands after the command
 * @param {string} usage how the command is called, then what it does
 */
export function answerStartArguments(args, usage) {
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  if (args.length === 0) return;
  fail(`start takes no arguments, and ${args[0]} is one; settings are environment variables`);
}
