/** A start has settings and no arguments. Plain JavaScript, as the programs are that begin with it. */
import process from "node:process";

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
  process.stderr.write(
    `sampling-router: start takes no arguments, and ${args[0]} is one; settings are environment variables\n`,
  );
  process.exit(1);
}
