/** Codes of API key rows: without MASTER_KEY, database access can neither create a key nor extend one. */
import { codedText, type StoredKey } from "../../domain/tenancy/access.ts";
import type { NoteRejected } from "../../domain/tenancy/rejected-row.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";

export interface KeyCodes {
  codeOf(key: Omit<StoredKey, "code">): Promise<string>;
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
