/** Prints a problem, escaped, and exits. */
export function fail(problem: string): never;
/** @param args after the command */
export function answerStartArguments(args: readonly string[], usage: string): void;
