/** The plot of the ratios, as SVG: one panel for requests a second, one for p50. */
import type { Compared } from "./compare.ts";
import { median } from "./figures.ts";
import type { RatioName } from "./goals.ts";
import { ratioText } from "./report.ts";

const width = 860;
const left = 360;
const right = 60;
const rowHeight = 46;
const headHeight = 44;
const scaleHeight = 30;

export interface Bar {
  title: string;
  below: string;
  median: number;
  least: number;
  max: number;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Every pair at that concurrency: the median of the runs, from the least to the greatest of all pairs of turns. */
export const barsOf = (all: readonly Compared[], ratio: RatioName, concurrency: number): Bar[] =>
  all
    .filter((each) => each.concurrency === concurrency && each.runs.length > 0)
    .map(({ subject, baseline, runs }) => ({
      title: subject.title,
      below: `beside: ${baseline.title}`,
      median: median(runs.map((run) => run.ratio[ratio].median)),
      least: Math.min(...runs.map((run) => run.ratio[ratio].least)),
      max: Math.max(...runs.map((run) => run.ratio[ratio].max)),
    }));

/** A round number of steps that is at least `most`: 1, 2 or 5 times a power of ten apart. */
export function stepsTo(max: number): number[] {
  const rough = max / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const count = Math.ceil(max / step);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(6)));
}

const panelHeight = (bars: readonly Bar[]): number =>
  headHeight + bars.length * rowHeight + scaleHeight;

function panel(title: string, bars: readonly Bar[], top: number): string {
  const steps = stepsTo(Math.max(1, ...bars.map(({ max }) => max)));
  const end = steps.at(-1) ?? 1;
  const x = (value: number): string => (left + (value / end) * (width - left - right)).toFixed(1);
  const first = top + headHeight;
  const bottom = first + bars.length * rowHeight;
  const grid = steps.flatMap((step) => [
    `<line class="${step === 1 ? "one" : "grid"}" x1="${x(step)}" x2="${x(step)}" y1="${first}" y2="${bottom}"/>`,
    `<text class="scale" x="${x(step)}" y="${bottom + 17}">${step}</text>`,
  ]);
  // The baseline's own place, also where no step of the scale falls on it.
  const one = steps.includes(1)
    ? []
    : [`<line class="one" x1="${x(1)}" x2="${x(1)}" y1="${first}" y2="${bottom}"/>`];
  const rows = bars.flatMap((bar, at) => {
    const y = first + at * rowHeight;
    const middle = y + 20;
    return [
      `<text class="name" x="${left - 12}" y="${y + 18}">${escaped(bar.title)}</text>`,
      `<text class="small" x="${left - 12}" y="${y + 34}">${escaped(bar.below)}</text>`,
      `<rect class="bar" x="${left}" y="${y + 10}" width="${(Number(x(bar.median)) - left).toFixed(1)}" height="20"/>`,
      `<line class="range" x1="${x(bar.least)}" x2="${x(bar.max)}" y1="${middle}" y2="${middle}"/>`,
      `<text class="value" x="${Number(x(bar.max)) + 8}" y="${middle + 5}">${ratioText(bar.median)}</text>`,
    ];
  });
  return [
    `<text class="title" x="24" y="${top + 24}">${escaped(title)}</text>`,
    ...grid,
    ...one,
    ...rows,
  ]
    .map((line) => `  ${line}`)
    .join("\n");
}

const callers = (count: number): string => (count === 1 ? "caller" : "callers");

/** Rates at the most callers, p50 with the fewest: there each says most. */
export function plotOf(all: readonly Compared[]): string {
  const concurrencies = all.map(({ concurrency }) => concurrency);
  const [fewest, max] = [Math.min(...concurrencies), Math.max(...concurrencies)];
  const rates = barsOf(all, "rps", max);
  const waits = barsOf(all, "p50", fewest);
  const second = 12 + panelHeight(rates) + 10;
  const height = second + panelHeight(waits) + 6;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t d">
  <title id="t">The router beside its baselines</title>
  <desc id="d">${escaped(
    [...rates, ...waits]
      .map(({ title, below, median: middle }) => `${title}, ${below}: ${ratioText(middle)}.`)
      .join(" "),
  )}</desc>
  <style>
    .panel { fill: #ffffff; stroke: #d0d7de; }
    text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; font-size: 13px; }
    .title { font-size: 15px; font-weight: 600; }
    .name, .small { text-anchor: end; }
    .small, .scale { font-size: 12px; fill: #57606a; }
    .scale { text-anchor: middle; }
    .grid { stroke: #d0d7de; }
    .one { stroke: #57606a; stroke-dasharray: 4 3; }
    .bar { fill: #54aeff; }
    .range { stroke: #0a3069; stroke-width: 2; }
    @media (prefers-color-scheme: dark) {
      .panel { fill: #0d1117; stroke: #30363d; }
      text { fill: #e6edf3; }
      .small, .scale { fill: #8b949e; }
      .grid { stroke: #30363d; }
      .one { stroke: #8b949e; }
      .bar { fill: #1f6feb; }
      .range { stroke: #cae8ff; }
    }
  </style>
  <rect class="panel" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${panel(`Requests a second with ${max} ${callers(max)}, as a multiple of the baseline's: more is better`, rates, 12)}
${panel(`p50 with ${fewest} ${callers(fewest)}, as a multiple of the baseline's: less is better`, waits, second)}
</svg>
`;
}
