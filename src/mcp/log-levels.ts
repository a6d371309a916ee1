/** Levels of log messages, from RFC 5424. The same in both eras. */
import { own, type JsonObject, type JsonValue } from "../domain/json.ts";

const levels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;
export type LogLevel = (typeof levels)[number];

export const logLevelIn = (value: JsonValue | undefined): LogLevel | null =>
  levels.find((level) => level === value) ?? null;

/** Whether a log message is for a client that asked for this level. Messages with an unknown level are. */
export function reachesLevel(params: JsonObject, asked: LogLevel): boolean {
  const level = logLevelIn(own(params, "level"));
  return level === null || levels.indexOf(level) >= levels.indexOf(asked);
}

export const logLevels: readonly string[] = levels;
