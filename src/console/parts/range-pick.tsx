import { ranges, type RangeName } from "../overview-figures.ts";
import { Pick } from "./pick.tsx";

const options = Object.entries(ranges).map(([name, { title }]) => [name, title] as const);

interface RangePickProps {
  range: RangeName;
  change: (changes: { range: string }) => void;
}

export const RangePick = ({ range, change }: RangePickProps) => (
  <Pick
    label="Time"
    value={range}
    options={options}
    onPick={(picked) => change({ range: picked })}
  />
);
