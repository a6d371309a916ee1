/**
 * What must hold of a file whose process is gone: the file opens, is sound, balances, and has every write that
 * a caller had an answer for.
 */
import { endLeases } from "../../../src/store/ledger/end-leases.ts";
import { openLocally, type Local } from "../../../src/store/engines/embedded/local.ts";
import type { Caller } from "../../contract/store/fixtures.ts";
import { mac, value } from "../../contract/store/open.ts";
import { reconciled } from "../sums.ts";
import type { Told } from "./ledger-load.ts";

const rowsOf = async (
  opened: Local,
  sql: string,
  args: readonly string[],
): Promise<Record<string, unknown>[]> =>
  value(await opened.db.write([{ toSQL: () => ({ sql, params: [...args] }) }]))[0] as Record<
    string,
    unknown
  >[];

/** Told and not there, each with what is there instead. */
async function lost(opened: Local, told: readonly Told[]): Promise<string[]> {
  const rows = await rowsOf(opened, "select id, outcome from sampling_requests", []);
  const outcomes = new Map(rows.map(({ id, outcome }) => [String(id), String(outcome)]));
  return told.flatMap(({ id, what }) => {
    const outcome = outcomes.get(id);
    const isThere = what === "admitted" ? outcome !== undefined : outcome === "succeeded";
    return isThere ? [] : [`${what} was told of ${id}, and it is ${outcome ?? "not there"}`];
  });
}

/** Nothing: []. */
export async function faultsOf(
  path: string,
  { who, told }: { who: Caller; told: readonly Told[] },
): Promise<string[]> {
  let opened: Local;
  try {
    opened = openLocally(path, "writes");
  } catch (cause) {
    return [`it does not open: ${String(cause)}`];
  }
  try {
    const check = opened.one("pragma integrity_check");
    if (check !== "ok") return [`integrity_check: ${String(check)}`];
    const missing = await lost(opened, told);
    value(await endLeases(opened.db, { mac, nonce: () => crypto.randomUUID(), now: Date.now() }));
    const query = (sql: string, args: string[] = []) => rowsOf(opened, sql, args);
    const sums = await reconciled({ query }, { id: who.tenantId }, { rates: false });
    return [...missing.slice(0, 3), ...sums];
  } catch (cause) {
    return [`it can't be read: ${String(cause)}`];
  } finally {
    try {
      opened.close();
    } catch {
      // The caller had an answer for this write.
    }
  }
}
