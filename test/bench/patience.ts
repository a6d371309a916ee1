/**
 * `node test/bench/patience.ts`: what the measured patience with a first attempt costs and saves, beside two thirds of the
 * deadline. Simulated, with the same random numbers for both: nobody is called.
 */
import { keptSamples, type Sample } from "../../src/domain/choice/health.ts";
import { attemptTimeoutOf, sizeOf } from "../../src/domain/choice/attempt-timeout.ts";

const calls = 100_000;
const deadlineMs = 45_000;
const maxTokens = 1_000;
const place = { model: "a/x", credentialId: "a" };
const shareMs = (deadlineMs * 2) / 3;

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return (state + 0.5) / 4_294_967_296;
  };
}

/** ms, lognormal. */
const tookMs = (random: () => number, { medianMs, sigma }: Traffic): number =>
  medianMs *
  Math.exp(sigma * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random()));

interface Traffic {
  name: string;
  medianMs: number;
  sigma: number;
  /** share of the first provider's calls that never end */
  hanging: number;
}

const traffics: readonly Traffic[] = [
  { name: "fast, sound", medianMs: 1_500, sigma: 0.5, hanging: 0 },
  { name: "slow, sound", medianMs: 6_000, sigma: 0.5, hanging: 0 },
  { name: "slow, wide tail", medianMs: 6_000, sigma: 0.8, hanging: 0 },
  { name: "fast, 2 % hang", medianMs: 1_500, sigma: 0.5, hanging: 0.02 },
  { name: "slow, 2 % hang", medianMs: 6_000, sigma: 0.5, hanging: 0.02 },
];

function simulate(traffic: Traffic, kind: "measured" | "share") {
  const random = randomFrom(7);
  let samples: Sample[] = [];
  const totals: number[] = [];
  let abandoned = 0;
  let failed = 0;
  for (let call = 0; call < calls; call += 1) {
    const now = call * 100;
    const isHanging = random() < traffic.hanging;
    const first = tookMs(random, traffic);
    const second = tookMs(random, { ...traffic, medianMs: 3_000 });
    const measured =
      kind === "share"
        ? null
        : attemptTimeoutOf([{ ...place, samples }], place, { maxTokens, now });
    const limit = Math.min(shareMs, measured ?? shareMs);
    const isAnswered = !isHanging && first <= limit;
    const total = isAnswered ? first : limit + second;
    if (isAnswered)
      samples = [
        { at: now, ms: first, outputTokens: 300, size: sizeOf(maxTokens) },
        ...samples,
      ].slice(0, keptSamples);
    else abandoned += 1;
    if (total > deadlineMs) failed += 1;
    totals.push(Math.min(total, deadlineMs));
  }
  const sorted = totals.toSorted((a, b) => a - b);
  const seconds = (share: number): string =>
    `${((sorted[Math.floor(share * calls)] ?? 0) / 1_000).toFixed(1)} s`;
  const percent = (count: number): string => `${((100 * count) / calls).toFixed(2)} %`;
  return [seconds(0.5), seconds(0.99), percent(abandoned), percent(failed)];
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const lines = [
  row(["traffic", "first attempt", "p50", "p99", "charged twice", "no answer in time"]),
  row(Array.from({ length: 6 }, () => "---")),
  ...traffics.flatMap((traffic) => [
    row([traffic.name, "two thirds", ...simulate(traffic, "share")]),
    row([traffic.name, "measured", ...simulate(traffic, "measured")]),
  ]),
];
process.stdout.write(`${lines.join("\n")}\n`);
