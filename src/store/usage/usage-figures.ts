import { sql, type SQL, type SQLWrapper } from "drizzle-orm";
import type { UsageBucket } from "../../domain/ports/ledger.ts";
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

const secondsOf = { hour: 3_600, day: 86_400 };

/** In UTC, ms since the epoch. Widths are inlined: drivers bind numbers as floats. */
export const usageBucketStart = (bucket: UsageBucket, hour: SQLWrapper): SQL =>
  bucket === "month"
    ? sql`cast(strftime('%s', ${hour}, 'unixepoch', 'start of month') as integer) * 1000`
    : sql`${hour} ${sql.raw(`/ ${secondsOf[bucket]} * ${secondsOf[bucket] * 1_000}`)}`;
