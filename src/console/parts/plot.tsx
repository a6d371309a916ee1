/** Stacked areas and lines by uPlot. The legend has the values, and a table is the fallback. */
import uPlot from "uplot";
import { useEffect, useRef, useState } from "preact/hooks";
import { axisTimes, bucketTime } from "../format.ts";
import { isolatedPoints, type Bucket, type Series } from "../overview-figures.ts";

/** Distinguishable with any color vision, and by dashes. */
const strokes = [
  ["#1f78b4", []],
  ["#d95f02", [8, 4]],
  ["#2a9d5c", [2, 3]],
  ["#a05ab5", [10, 3, 2, 3]],
  ["#b8860b", [4, 4]],
  ["#7b858b", []],
] as const;

/** Reliable in forced colors; dashes distinguish the lines. */
const forcedStrokes = ["CanvasText", "LinkText", "VisitedText"] as const;

const forced = matchMedia("(forced-colors: active)");
const dark = matchMedia("(prefers-color-scheme: dark)");

/** A canvas resolves neither `light-dark()` nor system colors. */
function resolved(element: HTMLElement, colour: string): string {
  const probe = document.createElement("span");
  probe.style.setProperty("forced-color-adjust", "none");
  probe.style.color = colour;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function coloursAt(place: HTMLElement) {
  const isForced = forced.matches;
  const strokeOf = (at: number): string =>
    isForced
      ? resolved(place, forcedStrokes[at % forcedStrokes.length] ?? "CanvasText")
      : (strokes[at % strokes.length] ?? strokes[0])[0];
  return {
    strokeOf,
    ink: resolved(place, isForced ? "CanvasText" : "var(--ink-faint)"),
    line: resolved(place, isForced ? "GrayText" : "var(--line)"),
  };
}

/** Incremented when system colors change. */
function useSystemColours(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = (): void => setChanges((count) => count + 1);
    for (const look of [forced, dark]) look.addEventListener("change", changed);
    return () => {
      for (const look of [forced, dark]) look.removeEventListener("change", changed);
    };
  }, []);
  return changes;
}

interface PlotProps {
  series: Series;
  /** an hour in the reader's zone, or a day or month in UTC */
  bucket: Bucket;
  label: string;
  theme: string;
  format: (value: number) => string;
  /** lines that add up */
  isStacked: boolean;
}

type Drawn = Pick<PlotProps, "series" | "bucket" | "format" | "isStacked">;

/** From the last line to the first, so that each area covers the one before. */
function stacked({ lines }: Series): (number | null)[][] {
  const sums: (number | null)[][] = [];
  for (const { values } of lines) {
    const below = sums[0];
    sums.unshift(values.map((value, at) => (value ?? 0) + (below?.[at] ?? 0)));
  }
  return sums;
}

function optionsFor(
  place: HTMLElement,
  { series: { lines }, bucket, format, isStacked }: Drawn,
  point: (at: number | null) => void,
): uPlot.Options {
  const { strokeOf, ink, line } = coloursAt(place);
  const grid = { stroke: line, width: 1 };
  const order = lines.map((_, at) => (isStacked ? lines.length - 1 - at : at));
  return {
    width: place.clientWidth,
    height: 240,
    // Days and months are in UTC.
    ...(bucket !== "hour" && {
      tzDate: (at: number) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
    }),
    cursor: { y: false },
    legend: { show: false },
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      {
        stroke: ink,
        grid: { show: false },
        ticks: grid,
        space: 80,
        values: (_, splits) =>
          axisTimes(
            splits.map((at) => at * 1000),
            bucket,
          ),
      },
      { stroke: ink, grid, ticks: grid, size: 64, values: (_, splits) => splits.map(format) },
    ],
    series: [
      {},
      ...order.map((at) => {
        const stroke = strokeOf(at);
        const [, dash] = strokes[at % strokes.length] ?? strokes[0];
        const isFilled = isStacked && !forced.matches;
        const points = { show: true, filter: () => isolatedPoints(lines[at]?.values ?? []) };
        return {
          stroke,
          dash: isFilled ? [] : [...dash],
          width: isFilled ? 1 : 2,
          points,
          ...(isFilled && { fill: stroke }),
        };
      }),
    ],
  };
}

interface LegendProps extends Drawn {
  /** the bucket under the pointer; null: all */
  at: number | null;
}

const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

/** Values under the pointer, otherwise sums, or the newest value of lines that don't add up. */
function Legend({ series, bucket, format, isStacked, at }: LegendProps) {
  const moment = at === null ? undefined : series.at[at];
  return (
    <ul class="legend plain">
      <li class="faint">
        {moment !== undefined ? bucketTime(moment, bucket) : isStacked ? "Total" : "Newest"}
      </li>
      {series.lines.map(({ name, values }, line) => {
        const newest = values.findLast((each) => each !== null) ?? null;
        const value = at !== null ? (values[at] ?? null) : isStacked ? sum(values) : newest;
        return (
          <li key={name}>
            <i style={{ background: (strokes[line % strokes.length] ?? strokes[0])[0] }} />
            <span class="legend-name" title={name}>
              {name}
            </span>
            <strong>{value === null ? "–" : format(value)}</strong>
          </li>
        );
      })}
    </ul>
  );
}

/** uPlot's options are static, so a theme change redraws. */
export function Plot({ label, theme, ...shown }: PlotProps) {
  const { series, bucket, isStacked } = shown;
  const place = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
  const [at, point] = useState<number | null>(null);
  const changes = useSystemColours();
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    let drawn: uPlot | null = null;
    const watcher = new ResizeObserver(() =>
      drawn?.setSize({ width: element.clientWidth, height: 240 }),
    );
    const draw = (): void => {
      try {
        const times = series.at.map((moment) => moment / 1000);
        const values = isStacked ? stacked(series) : series.lines.map((line) => line.values);
        drawn = new uPlot(
          optionsFor(element, shown, point),
          [times, ...values] as uPlot.AlignedData,
          element,
        );
        watcher.observe(element);
      } catch {
        setMissing(true);
      }
    };
    point(null);
    draw();
    return () => {
      watcher.disconnect();
      drawn?.destroy();
    };
  }, [series, bucket, isStacked, theme, changes]);
  if (isMissing) return <p class="faint">This browser can’t draw the plot. See the table.</p>;
  return (
    <>
      <div class="plot" ref={place} role="img" aria-label={label} />
      <Legend {...shown} at={at} />
    </>
  );
}
