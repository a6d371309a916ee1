import { customType } from "drizzle-orm/sqlite-core";
import type { Attempt } from "../../domain/attempts.ts";
import type { Asked, Timing, Who } from "../../domain/audit/record.ts";
import { lengthen, shorten } from "./phrases.ts";

const packedJson = <T>() =>
  customType<{ data: T; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => shorten(JSON.stringify(value)),
    fromDriver: (stored) => JSON.parse(lengthen(stored)) as T,
  });

/** `user` is absent if the key belongs to no person. */
export type KeptAsked = Partial<Asked> & Pick<Who, "user" | "groups">;

export const askedColumn = packedJson<KeptAsked>();
export const timingColumn = packedJson<Timing>();
export const attemptsColumn = packedJson<Attempt[]>();

function read(stored: string): unknown {
  try {
    return JSON.parse(lengthen(stored));
  } catch {
    return null;
  }
}

export const readAsked = (stored: string): KeptAsked | null => read(stored) as KeptAsked | null;
export const readTiming = (stored: string): Partial<Timing> | null =>
  read(stored) as Partial<Timing> | null;
