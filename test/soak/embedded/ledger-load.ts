/** Calls as a ledger sees them: admitted, then settled. Reports the answers that its callers got. */
import type { Database } from "../../../src/store/db.ts";
import { caller, reservation, settlement, type Caller } from "../../contract/store/fixtures.ts";
import { storesOn, value } from "../../contract/store/open.ts";
import { createIds } from "../../../src/domain/tenancy/ids.ts";

const ids = createIds({
  now: () => Date.now(),
  randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
});
export const loadLimits = {
  requestsPerMinute: 1_000_000,
  tokensPerMinute: 1_000_000_000,
  concurrent: 1_000,
  usdPerDay: 100_000,
  usdPerMonth: 100_000,
};

export interface Told {
  id: string;
  what: "admitted" | "settled";
}

export const loadCaller = (db: Database): Promise<Caller> =>
  caller(storesOn(db), { tenantLimits: loadLimits, keyLimits: loadLimits });

/** One call; false when the database refused a part of it. */
export async function ledgerCall(
  db: Database,
  who: Caller,
  tell: (told: Told) => void,
): Promise<boolean> {
  const { ledger } = storesOn(db);
  const now = Date.now();
  const made = reservation(who, now);
  const reserved = { ...made, opening: { ...made.opening, id: ids.next("request") } };
  const { id } = reserved.opening;
  const admission = await ledger.admit(reserved);
  if (!admission.ok) return false;
  if (admission.value.state !== "admitted") throw new Error(admission.value.state);
  tell({ id, what: "admitted" });
  const settled = await ledger.settle(
    settlement(reserved, Date.now(), { receipt: admission.value.receipt }),
  );
  if (!settled.ok) return false;
  if (!value(settled)) throw new Error("a settlement found no admission");
  tell({ id, what: "settled" });
  return true;
}
