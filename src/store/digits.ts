/** Numbers as characters that JSON leaves as they are. */

/** All printable characters of ASCII but the quotation mark and the backslash. */
export const digits = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))
  .filter((character) => character !== '"' && character !== "\\")
  .join("");
const base = digits.length;
const places = new Map(Array.from(digits, (digit, at) => [digit, at]));
/** Half of the digits say that another one follows. */
const half = Math.floor(base / 2);

/** A number below the base, which is 93. */
export const digit = (number: number): string => digits[number] ?? "";

/** A number that is mostly below the base: the last digit stands for that many, and more follows. */
export function stepped(number: number): string {
  let [text, rest] = ["", number];
  for (; rest >= base - 1; rest -= base - 1) text += digit(base - 1);
  return text + digit(rest);
}

/** Any count: small ones take one digit. */
export function counted(number: number): string {
  let [text, rest] = ["", number];
  for (; rest >= half; rest = Math.floor(rest / half)) text += digits[half + (rest % half)];
  return text + digits[rest];
}

export interface DigitReader {
  readonly isAtEnd: boolean;
  /** the next character, which stays */
  peek(): string;
  character(): string;
  digit(): number;
  stepped(): number;
  counted(): number;
}

/** Reads from the beginning. Throws where the text ends too early, or has another character. */
export function readDigits(text: string): DigitReader {
  let at = 0;
  const next = (): number => {
    const place = places.get(text[at] ?? "");
    if (place === undefined) throw new SyntaxError("a digit that is none");
    at += 1;
    return place;
  };
  return {
    get isAtEnd() {
      return at >= text.length;
    },
    peek: () => text[at] ?? "",
    character() {
      at += 1;
      return text[at - 1] ?? "";
    },
    digit: next,
    stepped() {
      for (let sum = 0; ;) {
        const place = next();
        sum += place;
        if (place < base - 1) return sum;
      }
    },
    counted() {
      let [sum, factor] = [0, 1];
      for (;;) {
        const place = next();
        if (place < half) return sum + place * factor;
        sum += (place - half) * factor;
        factor *= half;
      }
    },
  };
}
