/** Columns of JSON whose texts repeat from record to record. Plain JSON, as rows from before have it, is read too. */
import { customType } from "drizzle-orm/sqlite-core";
import type { Attempt } from "../domain/attempts.ts";
import type { Asked, Timing } from "../domain/audit/record.ts";
import { readDigits } from "./digits.ts";
import { modelCode, readModel } from "./model-codes.ts";
import { lengthen, shorten } from "./phrases.ts";

const packedJson = <T>() =>
  customType<{ data: T; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => shorten(JSON.stringify(value)),
    fromDriver: (stored) => JSON.parse(lengthen(stored)) as T,
  });

/** What was asked, and by which person; absent: the key is of no person. */
export type KeptAsked = Partial<Asked> & { user?: string };

export const askedColumn = packedJson<KeptAsked>();
export const timingColumn = packedJson<Timing>();

/** What was asked; null: somebody wrote something else. */
export function readAsked(stored: string): KeptAsked | null {
  try {
    return JSON.parse(lengthen(stored)) as KeptAsked | null;
  } catch {
    return null;
  }
}

/** A stored timing; null: somebody wrote something else. */
export function readTiming(stored: string): Partial<Timing> | null {
  try {
    return JSON.parse(lengthen(stored)) as Partial<Timing> | null;
  } catch {
    return null;
  }
}

/** An attempt whose model is in the list of models. */
type Coded = Omit<Attempt, "provider" | "model"> & { is: string };

function coded(attempt: Attempt): Attempt | Coded {
  const code = modelCode(attempt);
  const [first, second] = Object.keys(attempt);
  if (code === undefined || first !== "provider" || second !== "model") return attempt;
  const { provider: _provider, model: _model, ...rest } = attempt;
  return { is: code, ...rest };
}

function decoded(stored: Attempt | Coded): Attempt {
  if (!("is" in stored)) return stored;
  const { is: code, ...rest } = stored;
  return { ...readModel(readDigits(code)), ...rest };
}

/**
 * No attempt is an empty text. A process of the version before can't read it, so that process seals no
 * record that it would read differently.
 */
export const attemptsColumn = customType<{ data: Attempt[]; driverData: string }>({
  dataType: () => "text",
  toDriver: (attempts) =>
    attempts.length === 0 ? "" : shorten(JSON.stringify(attempts.map(coded))),
  fromDriver(stored) {
    if (stored === "") return [];
    const attempts = JSON.parse(lengthen(stored)) as (Attempt | Coded)[];
    // Somebody may have written anything here: what is no list is found to be none by who reads it.
    return Array.isArray(attempts) ? attempts.map(decoded) : attempts;
  },
});
