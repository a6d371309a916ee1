/**
 * The codes in rows of API keys. Who can write to the database, and has no MASTER_KEY, can neither make a key
 * nor give a key more than it had.
 */
import type { AsyncResult } from "../domain/refusals.ts";
import { codedText, type StoredKey } from "../domain/tenancy/access.ts";
import type { NoteRejected } from "../domain/tenancy/rejected-row.ts";
import type { Mac } from "../domain/tenancy/mac.ts";
import { ok } from "../domain/result.ts";

export interface KeyCodes {
  codeOf(key: Omit<StoredKey, "code">): AsyncResult<string>;
  /** Whether the router wrote the row as it stands, or may have written the row before there were codes. */
  isKnown(key: StoredKey): Promise<boolean>;
}

export const createKeyCodes = (deps: {
  mac: Mac;
  rejected: NoteRejected;
  sealing: { acceptsUncoded(): Promise<boolean>; begun(): AsyncResult<null> };
}): KeyCodes => ({
  async codeOf(key) {
    const ready = await deps.sealing.begun();
    return ready.ok ? ok(await deps.mac.code(codedText(key))) : ready;
  },
  async isKnown(key) {
    const isCoded = await deps.mac.check(codedText(key), key.code);
    if (isCoded || (await deps.sealing.acceptsUncoded())) return true;
    await deps.rejected({ tenantId: key.tenantId, table: "api_keys", id: key.id });
    return false;
  },
});
