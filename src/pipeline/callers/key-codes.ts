/**
 * The codes in rows of API keys. Who can write to the database, and has no MASTER_KEY, can neither make a key
 * nor give a key more than it had.
 */
import { codedText, type StoredKey } from "../../domain/tenancy/access.ts";
import type { NoteRejected } from "../../domain/tenancy/rejected-row.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";

export interface KeyCodes {
  codeOf(key: Omit<StoredKey, "code">): Promise<string>;
  /** Whether the router wrote the row as it stands. */
  isKnown(key: StoredKey): Promise<boolean>;
}

export const createKeyCodes = (deps: { mac: Mac; rejected: NoteRejected }): KeyCodes => ({
  codeOf: (key) => deps.mac.code(codedText(key)),
  async isKnown(key) {
    if (await deps.mac.check(codedText(key), key.code)) return true;
    await deps.rejected({ tenantId: key.tenantId, table: "api_keys", id: key.id });
    return false;
  },
});
