/** Ends the process with a problem, of which no character steers the terminal. */
export function fail(problem: string): never;
/** @param args what stands after the command. @param usage how the command is called, then what it does */
export function answerStartArguments(args: readonly string[], usage: string): void;
