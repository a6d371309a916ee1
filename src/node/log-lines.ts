import { printable, printableJson } from "../domain/printable.ts";

export const logFormats = ["json", "pretty"] as const;
export type LogFormat = (typeof logFormats)[number];

type Entry = Record<string, unknown>;

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

const pairsOf = (entry: Entry): string[] =>
  Object.entries(entry)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${textOf(value)}`);

const moneyOf = (usd: unknown): string[] => (typeof usd === "number" ? [`${usd} USD`] : []);

function samplingLine(entry: Entry): string[] {
  const { outcome, reason, provider, model, inputTokens, outputTokens } = entry;
  const tokens = [inputTokens, outputTokens].every((count) => typeof count === "number")
    ? [`${textOf(inputTokens)}+${textOf(outputTokens)} tokens`]
    : [];
  return [
    textOf(outcome),
    ...(reason === null ? [] : [textOf(reason)]),
    ...(model === null ? [] : [`${textOf(provider)}/${textOf(model)}`]),
    `${textOf(entry["totalMs"])} ms`,
    ...tokens,
    ...moneyOf(entry["costUsd"]),
    textOf(entry["requestId"]),
  ];
}

const twoDigits = (count: number): string => String(count).padStart(2, "0");
const clockOf = (at: Date): string =>
  [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(":");

function pretty(entry: Entry, at: Date): string {
  const { event, ...rest } = entry;
  const parts = event === "sampling" ? samplingLine(entry) : pairsOf(rest);
  return printable([clockOf(at), textOf(event), ...parts].join("  "));
}

export const lineOf = (entry: Entry, format: LogFormat, at: Date): string =>
  format === "json" ? printableJson(entry) : pretty(entry, at);
