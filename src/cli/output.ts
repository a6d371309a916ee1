/** Output of commands, escaped: files and servers may contain anything. */
import { printable, printableLines } from "../domain/printable.ts";

export const say = (line: string): void => void process.stdout.write(`${printable(line)}\n`);

export const sayFault = (problem: string): void =>
  void process.stderr.write(`sampling-router: ${printableLines(problem)}\n`);
