/** What every command answers to `--help`. */

/**
 * Prints the usage and ends the process with 0 where somebody asks for it, before anything else is read.
 * @param usage how the command is called, then what it does, also while the router runs
 */
export function answerHelp(usage: string): void {
  if (!process.argv.slice(2).some((each) => each === "--help" || each === "-h")) return;
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
