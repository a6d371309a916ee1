/**
 * What a seal says beside its records: which numbers it closes, and what was found changed, missing or made.
 * Each seal carries on from the seal before it, so a run reads no more of the chain than its head.
 */
import type { CodeFault, Standing } from "./evidence.ts";
import { countIn, isIn, rangesOf, without, type NumberRange } from "./number-ranges.ts";

/** ms in which codes of the former MASTER_KEY still count for records that were sealed before */
const lateCodesMs = 86_400_000;
/** So many ranges are named one by one, and the rest is named as one. */
const mostRanges = 200;

export type Tampering =
  /** a code of the record at `position` is wrong; the record stands in this seal as the database had it */
  | { what: "code"; code: CodeFault; id: string; position: number }
  /** the record's number was sealed before, or never given out */
  | { what: "second"; id: string; position: number }
  /** records that were admitted and are gone; `count` of the numbers from first to last */
  | { what: "missing"; first: number; last: number; count: number }
  /** seals that were cut off; what is left of their records is sealed again */
  | { what: "seals"; first: number; last: number }
  /** the seal before this one is none of the router's */
  | { what: "head"; number: number }
  /** the counter of the tenant's numbers was set back */
  | { what: "counter"; last: number };

export interface Checked {
  /** root of the tree over the records' leaves, in their order */
  tree: string;
  /** every record with a number up to this one is sealed or named as missing, except those in `open` */
  through: number;
  open: NumberRange[];
  /** whose codes count: those of MASTER_KEY, and for numbers up to this one those of the key before */
  codes: { key: string; since: number; previousThrough: number };
  tampered: Tampering[];
  /** positions of records that were sealed before, and have been corrected or ended since */
  replaced: NumberRange[];
}

/** What the next seal needs to know of the one before. */
export type ChainState = Pick<Checked, "through" | "open" | "codes">;

export interface CheckInput {
  /** null: there is no seal yet; `forged`: the newest seal is none of the router's */
  state: ChainState | "forged" | null;
  /** the last number that was given out to a record */
  counter: number;
  /** numbers of all records that are not sealed, in order; those above `presentThrough` were not read */
  present: readonly number[];
  /** the highest number that was read; `Number.MAX_SAFE_INTEGER` where all were */
  presentThrough: number;
  records: readonly { id: string; standing: Standing }[];
  /** what was found before the records themselves were checked */
  found: readonly Tampering[];
  now: number;
  codeKey: string;
  /** ms in which processes with the former MASTER_KEY may still write */
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
  const named = ranges.slice(0, mostRanges).map(([first, last]): Tampering => ({
    what: "missing",
    first,
    last,
    count: last - first + 1,
  }));
  const rest = ranges.slice(mostRanges);
  const [first, last] = [rest[0]?.[0], rest.at(-1)?.[1]];
  if (first === undefined || last === undefined) return named;
  return [...named, { what: "missing", first, last, count: countIn(rest) }];
};

/** Numbers whose records are not sealed by this seal and may be sealed later. */
function openNumbers(input: CheckInput, through: number): NumberRange[] {
  const { present, presentThrough } = input;
  const unread: NumberRange[] = presentThrough < through ? [[presentThrough + 1, through]] : [];
  // Nothing trustworthy says which numbers were sealed, so only records that are there count as open.
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

/** Numbers of records that are left for later seals. */
function leftOpen(
  { present, presentThrough, records }: CheckInput,
  expected: readonly NumberRange[],
  taken: ReadonlySet<number>,
): NumberRange[] {
  // A made-up record may carry the number of a real one. The number then stays open for the real
  // record.
  const sealed = new Map<number, number>();
  for (const { standing } of records)
    sealed.set(standing.number, (sealed.get(standing.number) ?? 0) + 1);
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

/** What the seal says of each record, by the record's position. */
function markRecords(
  { records, now }: CheckInput,
  chain: Pick<ChainState, "through" | "codes"> & { expected: NumberRange[] },
): Marks {
  const { through, codes, expected } = chain;
  const marks: Marks = { taken: new Set(), tampered: [], replaced: [] };
  for (const [position, { id, standing }] of records.entries()) {
    const wrong = (code: CodeFault) => marks.tampered.push({ what: "code", code, id, position });
    const { state, number } = standing;
    const isExpected = isIn(expected, number) && !marks.taken.has(number);
    if (state === "bad") wrong(standing.fault);
    else if (isExpected) marks.taken.add(number);
    if (state !== "sound") continue;
    const { previous, isReplaced } = standing;
    const isNumberedLate = standing.number > codes.previousThrough;
    const isLate = isExpected ? isNumberedLate : now > codes.since + lateCodesMs;
    if (previous.opening && isNumberedLate) wrong("opening");
    else if (previous.later && isLate) wrong("ending");
    else if (isExpected) continue;
    else if (isReplaced && standing.number <= through) marks.replaced.push(position);
    else marks.tampered.push({ what: "second", id, position });
  }
  return marks;
}

/** Checks the records of one seal, and which records should be there beside them. Gives everything but `tree`. */
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
