/** Lines over time by uPlot. Where a browser can't draw them, the table of the same numbers is there. */
import uPlot from "uplot";
import { useEffect, useRef, useState } from "preact/hooks";
import { compact } from "../format.ts";
import type { Series } from "../overview-figures.ts";

/** Colours that a person with any colour vision tells apart on either ground, with dashes beside them. */
const strokes = [
  ["#1f78b4", []],
  ["#d95f02", [8, 4]],
  ["#2a9d5c", [2, 3]],
  ["#a05ab5", [10, 3, 2, 3]],
  ["#b8860b", [4, 4]],
  ["#7b858b", []],
] as const;

const colourOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A custom property may hold `light-dark()`, which a canvas doesn't know. An element's own colour is resolved. */
function resolved(element: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color || colourOf(name);
}

function optionsFor(place: HTMLElement, { lines }: Series): uPlot.Options {
  const ink = resolved(place, "--ink-faint");
  const grid = { stroke: resolved(place, "--line"), width: 1 };
  return {
    width: place.clientWidth,
    height: 240,
    cursor: { y: false },
    scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
    axes: [
      { stroke: ink, grid, ticks: grid },
      { stroke: ink, grid, ticks: grid, size: 64, values: (_, splits) => splits.map(compact) },
    ],
    series: [
      {},
      ...lines.map(({ name, values }, at) => {
        const [stroke, dash] = strokes[at % strokes.length] ?? strokes[0];
        // One bucket makes no line, so a point stands for it.
        const points = { show: values.length < 3 };
        return { label: name === "" ? "none" : name, stroke, dash: [...dash], width: 2, points };
      }),
    ],
  };
}

/** The options of uPlot have no fill of the document's text colour, so a change of theme draws anew. */
export function Plot({ series, label, theme }: { series: Series; label: string; theme: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
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
        drawn = new uPlot(optionsFor(element, series), data, element);
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
  }, [series, theme]);
  if (isMissing) return <p class="faint">This browser can’t draw the plot. The table has it.</p>;
  return <div class="plot" ref={place} role="img" aria-label={label} />;
}
