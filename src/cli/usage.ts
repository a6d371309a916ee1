/**
 * Prints the usage and exits with 0 if `--help` is given.
 * @param usage shown also while the router runs
 */
export function answerHelp(usage: string): void {
  if (!process.argv.slice(2).some((each) => each === "--help" || each === "-h")) return;
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
