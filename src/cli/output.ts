/** What commands print. Files, stores and servers that they read may hold anything, and so may what they print. */
import { printable, printableLines } from "../domain/printable.ts";

export const say = (line: string): void => void process.stdout.write(`${printable(line)}\n`);

/** A fault, or a command's usage. */
export const sayFault = (problem: string): void =>
  void process.stderr.write(`sampling-router: ${printableLines(problem)}\n`);
