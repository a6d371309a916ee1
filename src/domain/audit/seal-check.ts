/** Finds closed record numbers, and missing, changed or forged records. Continues from the previous seal. */
import type { CodeFault, CodeVerdict } from "./evidence.ts";
import { countIn, isIn, rangesOf, without, type NumberRange } from "./number-ranges.ts";

/** ms in which codes of the previous MASTER_KEY remain valid for records that are already sealed */
const lateCodesMs = 86_400_000;
const maxRanges = 200;

export type Tampering =
  | { what: "code"; code: CodeFault; id: string; position: number }
  | { what: "second"; id: string; position: number }
  | { what: "missing"; first: number; last: number; count: number }
  | { what: "seals"; first: number; last: number }
  | { what: "head"; number: number }
  /** the tenant's counter of record numbers was set back */
  | { what: "counter"; last: number };

export interface Checked {
  tree: string;
  /** every record up to this number is sealed or reported missing, except those in `open` */
  through: number;
  open: NumberRange[];
  /** keys of valid codes: MASTER_KEY, and the previous one for numbers up to `previousThrough` */
  codes: { key: string; since: number; previousThrough: number };
  tampered: Tampering[];
  /** positions of records that were sealed before and changed legitimately since */
  replaced: NumberRange[];
}

export type ChainState = Pick<Checked, "through" | "open" | "codes">;

export interface CheckInput {
  state: ChainState | "forged" | null;
  /** the last assigned record number */
  counter: number;
  present: readonly number[];
  /** the highest number that was read; `Number.MAX_SAFE_INTEGER`: all */
  presentThrough: number;
  records: readonly { id: string; verdict: CodeVerdict }[];
  found: readonly Tampering[];
  now: number;
  codeKey: string;
  /** ms in which processes with the previous MASTER_KEY may still write */
  rolloutMs: number;
}

const stateIn = ({ state }: CheckInput): ChainState | null => (state === "forged" ? null : state);

const codesOf = (input: CheckInput): Checked["codes"] => {
  const { counter, codeKey, now, rolloutMs } = input;
  const codes = stateIn(input)?.codes;
  if (codes?.key !== codeKey) return { key: codeKey, since: now, previousThrough: counter };
  return now < codes.since + rolloutMs ? { ...codes, previousThrough: counter } : codes;
};

const missingOf = (ranges: readonly NumberRange[]): Tampering[] => {
  const named = ranges.slice(0, maxRanges).map(([first, last]): Tampering => ({
    what: "missing",
    first,
    last,
    count: last - first + 1,
  }));
  const rest = ranges.slice(maxRanges);
  const [first, last] = [rest[0]?.[0], rest.at(-1)?.[1]];
  if (first === undefined || last === undefined) return named;
  return [...named, { what: "missing", first, last, count: countIn(rest) }];
};

function openNumbers(input: CheckInput, through: number): NumberRange[] {
  const { present, presentThrough } = input;
  const unread: NumberRange[] = presentThrough < through ? [[presentThrough + 1, through]] : [];
  // No trustworthy source says which numbers were sealed, so only present records count as open.
  if (input.state === "forged")
    return [
      ...rangesOf(present.filter((number) => number <= Math.min(presentThrough, through))),
      ...unread,
    ];
  const state = stateIn(input);
  const began = state?.through ?? 0;
  const added: NumberRange[] = through > began ? [[began + 1, through]] : [];
  return [...(state?.open ?? []), ...added];
}

function leftOpen(
  { present, presentThrough, records }: CheckInput,
  expected: readonly NumberRange[],
  taken: ReadonlySet<number>,
): NumberRange[] {
  // A forged record may carry a real record's number, which stays open for the real record.
  const sealed = new Map<number, number>();
  for (const { verdict } of records)
    sealed.set(verdict.number, (sealed.get(verdict.number) ?? 0) + 1);
  const left = present.filter((number) => {
    const count = sealed.get(number) ?? 0;
    if (count > 0) sealed.set(number, count - 1);
    return count === 0 && !taken.has(number) && isIn(expected, number);
  });
  const read: NumberRange[] = [[0, presentThrough]];
  return [
    ...rangesOf(left.filter((number) => number <= presentThrough)),
    ...without(without(expected, read), rangesOf([...taken])),
  ];
}

interface Marks {
  taken: Set<number>;
  tampered: Tampering[];
  replaced: number[];
}

function markRecords(
  { records, now }: CheckInput,
  chain: Pick<ChainState, "through" | "codes"> & { expected: NumberRange[] },
): Marks {
  const { through, codes, expected } = chain;
  const marks: Marks = { taken: new Set(), tampered: [], replaced: [] };
  for (const [position, { id, verdict }] of records.entries()) {
    const wrong = (code: CodeFault) => marks.tampered.push({ what: "code", code, id, position });
    const { state, number } = verdict;
    const isExpected = isIn(expected, number) && !marks.taken.has(number);
    if (state === "bad") wrong(verdict.fault);
    else if (isExpected) marks.taken.add(number);
    if (state !== "sound") continue;
    const { previous, isReplaced } = verdict;
    const isNumberedLate = verdict.number > codes.previousThrough;
    const isLate = isExpected ? isNumberedLate : now > codes.since + lateCodesMs;
    if (previous.opening && isNumberedLate) wrong("opening");
    else if (previous.later && isLate) wrong("ending");
    else if (isExpected) continue;
    else if (isReplaced && verdict.number <= through) marks.replaced.push(position);
    else marks.tampered.push({ what: "second", id, position });
  }
  return marks;
}

export function checkSeal(input: CheckInput): Omit<Checked, "tree"> {
  const { counter, present, presentThrough, found } = input;
  const state = stateIn(input);
  const through = Math.max(state?.through ?? 0, counter);
  const codes = codesOf(input);
  const expected = openNumbers(input, through);
  const marks = markRecords(input, { through, codes, expected });
  const unread: NumberRange[] = [[presentThrough + 1, Number.MAX_SAFE_INTEGER]];
  const missing = without(without(expected, unread), rangesOf(present));
  const isSetBack = state !== null && counter < state.through;
  return {
    through,
    open: leftOpen(input, expected, marks.taken),
    codes,
    tampered: [
      ...found,
      ...(isSetBack ? [{ what: "counter", last: counter } as const] : []),
      ...marks.tampered,
      ...missingOf(missing),
    ],
    replaced: rangesOf(marks.replaced),
  };
}
