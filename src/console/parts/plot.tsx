/** Line plots by uPlot, with a table as fallback. */
import uPlot from "uplot";
import { useEffect, useRef, useState } from "preact/hooks";
import { axisTimes, bucketTime, compact } from "../format.ts";
import { isolatedPoints, type Series } from "../overview-figures.ts";

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

type Bucket = "hour" | "day";

function optionsFor(place: HTMLElement, { lines }: Series, bucket: Bucket): uPlot.Options {
  const { strokeOf, ink, line } = coloursAt(place);
  const grid = { stroke: line, width: 1 };
  return {
    width: place.clientWidth,
    height: 240,
    // Days are in UTC.
    ...(bucket === "day" && {
      tzDate: (at: number) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
    }),
    cursor: { y: false },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      {
        stroke: ink,
        grid,
        ticks: grid,
        space: 80,
        values: (_, splits) =>
          axisTimes(
            splits.map((at) => at * 1000),
            bucket,
          ),
      },
      { stroke: ink, grid, ticks: grid, size: 64, values: (_, splits) => splits.map(compact) },
    ],
    series: [
      { value: (_, at) => (at === null ? "hover for values" : bucketTime(at * 1000, bucket)) },
      ...lines.map(({ name, values }, at) => {
        const [, dash] = strokes[at % strokes.length] ?? strokes[0];
        const points = { show: true, filter: () => isolatedPoints(values) };
        const label = name === "" ? "none" : name;
        const value = (_: uPlot, it: number | null): string => (it === null ? "" : compact(it));
        return { label, value, stroke: strokeOf(at), dash: [...dash], width: 2, points };
      }),
    ],
  };
}

interface PlotProps {
  series: Series;
  bucket: Bucket;
  label: string;
  theme: string;
}

/** uPlot's options are static, so a theme change redraws. */
export function Plot({ series, bucket, label, theme }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
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
        const times = series.at.map((at) => at / 1000);
        const data = [times, ...series.lines.map(({ values }) => values)] as uPlot.AlignedData;
        drawn = new uPlot(optionsFor(element, series, bucket), data, element);
        watcher.observe(element);
      } catch {
        setMissing(true);
      }
    };
    draw();
    return () => {
      watcher.disconnect();
      drawn?.destroy();
    };
  }, [series, bucket, theme, changes]);
  if (isMissing) return <p class="faint">This browser can’t draw the plot. See the table.</p>;
  return <div class="plot" ref={place} role="img" aria-label={label} />;
}
