/** Inclusive on both ends. */
export type NumberRange = readonly [first: number, last: number];

export function rangesOf(numbers: readonly number[]): NumberRange[] {
  const ranges: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

export function isIn(ranges: readonly NumberRange[], number: number): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = ranges[middle] ?? [0, -1];
    if (number < first) high = middle - 1;
    else if (number > last) low = middle + 1;
    else return true;
  }
  return false;
}

export function without(
  ranges: readonly NumberRange[],
  taken: readonly NumberRange[],
): NumberRange[] {
  const left: NumberRange[] = [];
  let at = 0;
  for (const [first, last] of ranges) {
    let from = first;
    while (at < taken.length && (taken[at]?.[1] ?? 0) < from) at += 1;
    for (let next = at; next < taken.length; next += 1) {
      const [start, end] = taken[next] ?? [0, 0];
      if (start > last) break;
      if (start > from) left.push([from, start - 1]);
      from = Math.max(from, end + 1);
    }
    if (from <= last) left.push([from, last]);
  }
  return left;
}

export const countIn = (ranges: readonly NumberRange[]): number =>
  ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
