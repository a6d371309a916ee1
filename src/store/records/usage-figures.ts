/** Columns of usage. */
import { sql } from "drizzle-orm";
import { largestInteger } from "../../domain/magnitudes.ts";
import { summed } from "../db.ts";

export const outcomes = ["succeeded", "failed", "refused", "cancelled", "unknown"] as const;
export const figures = [...outcomes, "input_tokens", "output_tokens", "cost_micro_usd"] as const;

export const raised = sql.join(
  figures.map((name) => sql`${sql.raw(name)} = ${summed(name)}`),
  sql`, `,
);
/** The same for a tenant's own rows, which must be delivered to `home` again. */
export const raisedFigures = sql`${raised}, delivered = 0`;

export const isSound = sql.raw(
  figures.map((name) => `${name} between -${largestInteger} and ${largestInteger}`).join(" and "),
);
