/** JSON as many programs write it: spaces, escapes, numbers in odd formats, one key twice. */
import * as fc from "fast-check";

const word = fc.string({ unit: "grapheme", maxLength: 12 });
const escaped = word.map(
  (text) =>
    `"${[...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`,
);

/** The text of a value. */
export const oddJson = fc.oneof(
  word.map((text) => JSON.stringify(text)),
  escaped,
  fc.constantFrom(
    "1.0",
    "1e2",
    "-0",
    "12345678901234567890",
    " null",
    "[ ]",
    "{ }",
    '{"a" :1,"a":2}',
  ),
  fc.json(),
);

const space = fc.constantFrom("", "", "", " ", "\n", "\t ", "\r\n");

/** The text of an object with these members, whatever their order, and the space between them. */
export const oddObject = (members: readonly (readonly [key: string, text: string])[]) =>
  fc
    .tuple(
      fc.shuffledSubarray([...members], { minLength: members.length }),
      fc.array(space, { minLength: 4 * members.length + 2, maxLength: 4 * members.length + 2 }),
    )
    .map(([order, spaces]) => {
      const gap = (at: number): string => spaces[at] ?? "";
      const texts = order.map(
        ([key, text], at) =>
          `${gap(4 * at)}${JSON.stringify(key)}${gap(4 * at + 1)}:${gap(4 * at + 2)}${text}${gap(4 * at + 3)}`,
      );
      return `{${texts.join(",")}}`;
    });
