/**
 * The codes of a record, by which the router knows rows of its own. Who can write to the database, and has no
 * MASTER_KEY, can make no code. So the seal run tells the router's records from records that somebody changed
 * or made.
 */
import type { Mac } from "../tenancy/mac.ts";

/** The purpose for which the key of record codes is derived, and no other key. */
export const recordCodesPurpose = "records";

/**
 * Who wrote the first code: an admission that admitted, an admission that SQL refused, or `refuse`, which needs
 * no admission. Nobody can turn an admitted record into a refused one, because its row never held the code of a
 * refusal.
 */
export type OpeningKind = "admitted" | "limited" | "refused";

export const openingText = (kind: OpeningKind, opening: string): string => `${kind}\n${opening}`;

/**
 * An ending that replaces the sweep's has a kind of its own: only a record with that kind may be sealed a
 * second time.
 */
export type EndingKind = "ended" | "ended-late";

/** @param parts the first code and the record's number, null where its writer can't know the number */
export const endingText = (
  kind: EndingKind,
  parts: { openingCode: string; number: number | null; ending: string },
): string => `${kind}\n${parts.openingCode}\n${parts.number ?? "-"}\n${parts.ending}`;

export const correctionText = (correction: string): string => `corrected\n${correction}`;

/** A row's columns as texts for codes, and the codes that stand beside them. */
export interface Evidence {
  number: number;
  opening: string;
  ending: string;
  /** null: not corrected */
  correction: string | null;
  codes: { opening: string; ending: string | null; correction: string | null };
  isRefused: boolean;
  /**
   * who may have written this end by SQL alone, since the columns hold no more than SQL writes; null: they hold
   * more
   */
  endedBySql: "limited" | "swept" | null;
}

/** Which of a record's codes is wrong or absent. */
export type CodeFault = "opening" | "ending" | "correction";

export type Standing =
  | { state: "bad"; number: number; fault: CodeFault }
  | {
      state: "sound";
      number: number;
      /** the record may be sealed a second time: it was corrected since, or ended after the sweep */
      isReplaced: boolean;
      /** which of its codes were made under MASTER_KEY_PREVIOUS */
      previous: { opening: boolean; later: boolean };
    };

async function endingOf(
  mac: Mac,
  { number, ending, codes, isRefused }: Evidence,
): Promise<EndingKind | null> {
  const parts = {
    openingCode: codes.opening,
    // `refuse` is one statement: the database gives out the number while it writes the code, so the
    // code can't cover it.
    number: isRefused ? null : number,
    ending,
  };
  for (const kind of ["ended", "ended-late"] as const)
    if (await mac.check(endingText(kind, parts), codes.ending)) return kind;
  return null;
}

/** What a record's codes say about the record. */
export async function standingOf(mac: Mac, evidence: Evidence): Promise<Standing> {
  const { number, opening, correction, codes, endedBySql } = evidence;
  const bad = (fault: CodeFault): Standing => ({ state: "bad", number, fault });
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
