/**
 * Codes of an admission. The database decides what becomes of the call, so each branch that it may take gets a
 * code of its own. The row never holds another branch's code, so nobody can turn the row into what another branch
 * would have written.
 */
import type { Receipt } from "../../../domain/audit/record.ts";
import type { Mac } from "../../../domain/tenancy/mac.ts";
import type { Row } from "../../db.ts";
import { openingCode } from "../../records/record-codes.ts";

/** The first code of each kind of row that an admission may write. */
export interface AdmissionCodes {
  /** of a row with each of the claims */
  claims: string[];
  /** of a row that a limit refused; null: nothing is limited */
  limited: string | null;
}

/**
 * The codes are made side by side, since WebCrypto works off the thread. Each text is one by `openingOf`; a row that a
 * limit refuses has the first claim, and no time of admission.
 */
export async function admissionCodes(
  mac: Mac,
  { claims, limited }: { claims: readonly string[]; limited: string | null },
): Promise<AdmissionCodes> {
  const [codes, refused] = await Promise.all([
    Promise.all(claims.map((claim) => openingCode(mac, "admitted", claim))),
    limited === null ? null : openingCode(mac, "limited", limited),
  ]);
  return { claims: codes, limited: refused };
}

/** What the row holds after the statement, as the caller's receipt. */
export const receiptOf = (row: Row): Receipt => ({
  number: Number(row["record_number"]),
  openingCode: String(row["opening_code"]),
  model: String(row["model"]),
  reservedTokens: Number(row["reserved_tokens"]),
  reservedMicroUsd: row["reserved_micro_usd"] === null ? null : Number(row["reserved_micro_usd"]),
});
