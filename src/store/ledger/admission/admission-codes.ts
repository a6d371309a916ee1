/** Each possible row has a code of its own, so a row can't be changed into one of another outcome. */
import type { Receipt } from "../../../domain/audit/record.ts";
import type { Mac } from "../../../domain/tenancy/mac.ts";
import type { Row } from "../../db.ts";
import { openingCode } from "../../records/record-codes.ts";

export interface AdmissionCodes {
  claims: string[];
  /** of a row refused by a limit; `null` without limits */
  limited: string | null;
}

/** A row refused by a limit has the first claim and no admission time. */
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

export const receiptOf = (row: Row): Receipt => ({
  number: Number(row["record_number"]),
  openingCode: String(row["opening_code"]),
  model: String(row["model"]),
  reservedTokens: Number(row["reserved_tokens"]),
  reservedMicroUsd: row["reserved_micro_usd"] === null ? null : Number(row["reserved_micro_usd"]),
});
