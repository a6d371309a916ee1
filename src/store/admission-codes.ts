/**
 * Codes of an admission. SQL decides what becomes of the call, so each branch that SQL may take gets a
 * code of its own.
 */
import { sql, type SQL } from "drizzle-orm";
import type { Receipt } from "../domain/audit/record.ts";
import type { Mac } from "../domain/tenancy/mac.ts";
import type { Row } from "./db.ts";
import { openingCode } from "./record-codes.ts";

/** The first code of each kind of row that an admission may write. */
export interface AdmissionCodes {
  admitted: string;
  /** the code of a row with the smaller claim; null: there is no smaller claim */
  smaller: string | null;
  /** the code of a row that a limit refused, with the smaller claim where there is one; null: nothing is limited */
  limited: string | null;
}

/**
 * The codes are made side by side, since WebCrypto works off the thread. `opening`, `smaller` with the smaller
 * claim, and `limited` with the smallest claim and no time of admission: texts by `openingOf`.
 */
export async function admissionCodes(
  mac: Mac,
  parts: { opening: string; smaller: string | null; limited: string | null },
): Promise<AdmissionCodes> {
  const { opening, smaller } = parts;
  const [admitted, less, limited] = await Promise.all([
    openingCode(mac, "admitted", opening),
    smaller === null ? null : openingCode(mac, "admitted", smaller),
    parts.limited === null ? null : openingCode(mac, "limited", parts.limited),
  ]);
  return { admitted, smaller: less, limited };
}

/**
 * The code of the branch that the statement takes. The row never holds another branch's code, so nobody can turn the
 * row into what another branch would have written.
 */
export const codeTaken = ({ admitted, smaller, limited }: AdmissionCodes): SQL => {
  const unlimited =
    smaller === null
      ? sql`${admitted}`
      : sql`case when beyond.yes then ${smaller} else ${admitted} end`;
  return limited === null
    ? unlimited
    : sql`case when refused.position is null then ${unlimited} else ${limited} end`;
};

/** What the row holds after the statement, as the caller's receipt. */
export const receiptOf = (row: Row): Receipt => ({
  number: Number(row["record_number"]),
  openingCode: String(row["opening_code"]),
  model: String(row["model"]),
  reservedTokens: Number(row["reserved_tokens"]),
  reservedMicroUsd: row["reserved_micro_usd"] === null ? null : Number(row["reserved_micro_usd"]),
});
