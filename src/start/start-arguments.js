/** A start takes no arguments. Plain JavaScript, like the programs that use it. */
import process from "node:process";

/**
 * Prints a problem, escaped, and exits.
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
 * Answers `--help` and rejects other arguments: ignoring `--port 9000` would listen elsewhere.
 * @param {readonly string[]} args after the command
 * @param {string} usage
 */
export function answerStartArguments(args, usage) {
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  if (args.length === 0) return;
  fail(`start takes no arguments, but got ${args[0]}; settings are environment variables`);
}
