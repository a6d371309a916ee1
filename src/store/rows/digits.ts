/** Numbers in printable ASCII that JSON doesn't escape. */
const digits = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))
  .filter((character) => character !== '"' && character !== "\\")
  .join("");
/** A digit of the upper half means that another digit follows. */
const half = Math.floor(digits.length / 2);

export function counted(count: number): string {
  let [text, rest] = ["", count];
  for (; rest >= half; rest = Math.floor(rest / half)) text += digits[half + (rest % half)];
  return text + digits[rest];
}

export interface DigitReader {
  readonly isAtEnd: boolean;
  counted(): number;
}

export function readDigits(text: string): DigitReader {
  let at = 0;
  return {
    get isAtEnd() {
      return at >= text.length;
    },
    counted() {
      for (let [sum, factor] = [0, 1]; ; factor *= half) {
        const digit = digits.indexOf(text[at] ?? "\\");
        if (digit < 0) throw new SyntaxError("a count that is none");
        at += 1;
        if (digit < half) return sum + digit * factor;
        sum += (digit - half) * factor;
      }
    },
  };
}
