/** Record codes. Database writes without MASTER_KEY can't produce one, so the seal run detects changes. */
import type { Mac } from "../tenancy/mac.ts";

export const recordCodesPurpose = "records";

/** An admitted record can't become a refused one, because no code of a refusal was ever made for it. */
export type OpeningKind = "admitted" | "limited" | "refused";

export const openingText = (kind: OpeningKind, opening: string): string => `${kind}\n${opening}`;

/** A late end, which replaces the sweep's, has its own kind: only such a record may be sealed again. */
export type EndingKind = "ended" | "ended-late";

/** @param parts `number`: null if the writer can't know the number */
export const endingText = (
  kind: EndingKind,
  parts: { openingCode: string; number: number | null; ending: string },
): string => `${kind}\n${parts.openingCode}\n${parts.number ?? "-"}\n${parts.ending}`;

export const correctionText = (correction: string): string => `corrected\n${correction}`;

export const leaseText = (lease: string): string => `leased\n${lease}`;

export interface Evidence {
  number: number;
  opening: string;
  ending: string;
  correction: string | null;
  lease: string | null;
  codes: {
    opening: string;
    ending: string | null;
    correction: string | null;
    lease: string | null;
  };
  isRefused: boolean;
  /** set if the columns hold only what an SQL statement may have written without a code */
  endedBySql: "limited" | "swept" | null;
}

export type CodeFault = "opening" | "ending" | "correction";

export type CodeVerdict =
  | { state: "bad"; number: number; fault: CodeFault }
  | {
      state: "sound";
      number: number;
      isReplaced: boolean;
      /** codes made with MASTER_KEY_PREVIOUS */
      previous: { opening: boolean; later: boolean };
    };

async function endingOf(
  mac: Mac,
  { number, ending, codes, isRefused }: Evidence,
): Promise<EndingKind | null> {
  const parts = {
    openingCode: codes.opening,
    // The database assigns the number of a refused record in the statement that writes the code.
    number: isRefused ? null : number,
    ending,
  };
  for (const kind of ["ended", "ended-late"] as const)
    if (await mac.check(endingText(kind, parts), codes.ending)) return kind;
  return null;
}

export async function verifyCodes(mac: Mac, evidence: Evidence): Promise<CodeVerdict> {
  const { number, opening, correction, lease, codes, endedBySql } = evidence;
  const bad = (fault: CodeFault): CodeVerdict => ({ state: "bad", number, fault });
  const isCorrected = correction !== null;
  const vouches = (code: string | null): boolean =>
    code !== null && !code.startsWith(mac.codePrefix);
  const correctionHolds =
    isCorrected && (await mac.check(correctionText(correction), codes.correction));
  const kind =
    codes.ending === null
      ? endedBySql === "limited"
        ? "limited"
        : "admitted"
      : evidence.isRefused
        ? "refused"
        : "admitted";
  if (!(await mac.check(openingText(kind, opening), codes.opening))) return bad("opening");
  if (lease !== null && !(await mac.check(leaseText(lease), codes.lease))) return bad("opening");
  let isLate = false;
  if (codes.ending !== null) {
    const ended = await endingOf(mac, evidence);
    if (ended === null) return bad("ending");
    isLate = ended === "ended-late";
  } else if (endedBySql === null) return bad("ending");
  if (isCorrected !== correctionHolds) return bad("correction");
  return {
    state: "sound",
    number,
    isReplaced: isLate || isCorrected,
    previous: {
      opening: vouches(codes.opening),
      later: vouches(codes.ending) || vouches(codes.correction),
    },
  };
}
