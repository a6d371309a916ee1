/** The figures that usage has, by their columns' names. */
import { sql } from "drizzle-orm";
import { largestInteger } from "../../domain/magnitudes.ts";
import { summed } from "../db.ts";

export const outcomes = ["succeeded", "failed", "refused", "cancelled", "unknown"] as const;
export const figures = [...outcomes, "input_tokens", "output_tokens", "cost_micro_usd"] as const;

/** Every figure raised by what an insert adds to it. */
export const raised = sql.join(
  figures.map((name) => sql`${sql.raw(name)} = ${summed(name)}`),
  sql`, `,
);
/** The same of a tenant's own rows, which have to be delivered to `home` again. */
export const raisedFigures = sql`${raised}, delivered = 0`;

/** Whether every figure of a row is a count that a driver gives back. */
export const isSound = sql.raw(
  figures.map((name) => `${name} between -${largestInteger} and ${largestInteger}`).join(" and "),
);
