/** What commands print. Files, stores and servers that they read may hold anything, and so may what they print. */

/**
 * Control characters steer a terminal; bidirectional and invisible ones make a line read as another one.
 * Source: Unicode, "Cc", "Cf", "Zl", "Zp", and surrogates without their other half.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** One line of text, in which nothing steers a terminal. */
export const printable = (text: string): string => text.replaceAll(unprintable, escaped);

/** The same of a text of several lines, whose line breaks are the command's own. */
const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

export const say = (line: string): void => void process.stdout.write(`${printable(line)}\n`);

/** A fault, or a command's usage. */
export const sayFault = (problem: string): void =>
  void process.stderr.write(`sampling-router: ${printableLines(problem)}\n`);
