/** Stacked bars, or lines, in SVG. The legend has the values, and a table is the fallback. */
import { useState } from "preact/hooks";
import { axisTimes, bucketTime } from "../format.ts";
import { marksOf, stepOf, type Bucket, type Series } from "../overview-figures.ts";

/** Distinguishable with any color vision; lines also by dashes. */
const colors = ["#1f78b4", "#d95f02", "#2a9d5c", "#a05ab5", "#b8860b", "#7b858b"] as const;
const dashes = ["none", "6 6", "1 6"] as const;
const mostTimes = 8;

interface PlotProps {
  series: Series;
  /** an hour in the reader's zone, or a day or month in UTC */
  bucket: Bucket;
  label: string;
  format: (value: number) => string;
  /** bars that add up */
  isStacked: boolean;
  open: (at: number) => void;
}

type Values = readonly (number | null)[];
const sum = (values: Values): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

type LegendProps = Omit<PlotProps, "label" | "open"> & { at: number };

/** Values in the bucket `at`, otherwise sums, or the newest value of lines that don't add up. */
function Legend({ series, bucket, format, isStacked, at }: LegendProps) {
  const moment = series.at[at];
  const newest = (values: Values) => values.findLast((each) => each !== null);
  const valueIn = isStacked ? sum : newest;
  const valueOf = (values: Values) => (moment === undefined ? valueIn(values) : values[at]) ?? null;
  const figures = series.lines.map((line) => ({ ...line, value: valueOf(line.values) }));
  return (
    <ul class="legend plain">
      <li class="faint">
        {moment !== undefined ? bucketTime(moment, bucket) : isStacked ? "Total" : "Newest"}{" "}
        {isStacked && <strong>{format(sum(figures.map(({ value }) => value)))}</strong>}
      </li>
      {figures.map(({ name, value, color }) => (
        <li key={name}>
          <i style={{ background: colors[color] }} />
          <span class="legend-name" title={name} children={name} />
          <strong>{value === null ? "–" : format(value)}</strong>
        </li>
      ))}
    </ul>
  );
}

export function Plot({ label, open, ...shown }: PlotProps) {
  const { series, bucket, format, isStacked } = shown;
  const { at: begins, lines } = series;
  const [pointed, point] = useState(-1);
  const heights = begins.map((_, at) => {
    const values = lines.map((line) => line.values[at] ?? 0);
    return isStacked ? sum(values) : Math.max(...values);
  });
  const height = Math.max(...heights);
  const step = stepOf(height);
  const steps = Math.max(1, Math.ceil(height / step));
  const marks = marksOf(series, { top: steps * step, isStacked });
  const every = Math.ceil(begins.length / mostTimes);
  const marked = begins.filter((_, at) => at % every === 0);
  const times = axisTimes(marked, bucket);
  return (
    <>
      <div
        class={heights[pointed] ? "plot opens" : "plot"}
        role="img"
        aria-label={label}
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          point(Math.floor(((clientX - left) / width) * begins.length));
        }}
        onClick={() => heights[pointed] && open(pointed)}
        onPointerLeave={() => point(-1)}
      >
        {Array.from({ length: steps + 1 }, (_, at) => (
          <span key={at} class="tick" style={{ bottom: `${(at / steps) * 100}%` }}>
            <span>{format(at * step)}</span>
          </span>
        ))}
        <svg viewBox={`0 0 ${begins.length} 1`} preserveAspectRatio="none">
          {pointed in begins && <rect x={pointed} width="1" height="1" />}
          {lines.map(({ name, color }, line) => (
            <path
              key={name}
              d={marks[line]}
              {...(isStacked
                ? { fill: colors[color] }
                : { fill: "none", stroke: colors[color], "stroke-dasharray": dashes[line] })}
            />
          ))}
        </svg>
        {times.map((time, at) => (
          <span
            key={at}
            class="time"
            style={{ left: `${((at * every + 0.5) / begins.length) * 100}%` }}
          >
            {time}
          </span>
        ))}
      </div>
      <Legend {...shown} at={pointed} />
    </>
  );
}
