/** Control characters steer a terminal; bidirectional and invisible ones disguise a line. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

const escaped = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

export const printable = (text: string): string => text.replaceAll(unprintable, escaped);

const longestName = 200;

/** For a name that a caller made up. */
export const printableName = (name: string): string => printable(name.slice(0, longestName));

export const printableJson = (value: unknown): string => {
  const json = JSON.stringify(value) ?? "null";
  if (isPlain(json)) return json;
  return json.replaceAll(unprintable, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
};

export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");
