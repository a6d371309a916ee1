/** Text from outside, such as names of servers and texts of faults, as a terminal may get it. */

/**
 * Control characters steer a terminal; bidirectional and invisible ones make a line read as another one.
 * Source: Unicode, "Cc", "Cf", "Zl", "Zp", and surrogates without their other half.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** One line of text, in which nothing steers a terminal. */
export const printable = (text: string): string => text.replaceAll(unprintable, escaped);

/** A line of JSON, in which those characters are escaped as JSON has it. */
export const printableJson = (value: unknown): string =>
  (JSON.stringify(value) ?? "null").replaceAll(unprintable, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );

/** The same for a text of several lines, whose line breaks are the program's own. */
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");
