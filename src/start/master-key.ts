/** Reports that the database was sealed under another MASTER_KEY. */
import { masterKeyId } from "../crypto/master-key-id.ts";
import type { ForeignSeals } from "../domain/tenancy/sealing.ts";
import type { Database } from "../store/db.ts";
import { createSealingStore } from "../store/seals/sealing.ts";

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(base64, "base64"));

function sentence(where: string, keyId: string, foreign: ForeignSeals): string {
  const { credentials, servers, keyIds } = foreign;
  return [
    `MASTER_KEY (${keyId}) is not the one that sealed ${where} (${keyIds.join(", ")}):`,
    `${credentials.foreign} of ${credentials.all} credentials and the secrets of ${servers.foreign} of ${servers.all} servers can't be opened,`,
    "and API keys created under the other one are not recognized.",
    "Set MASTER_KEY or MASTER_KEY_PREVIOUS to the other one, or enter the secrets again.",
  ].join(" ");
}

/** `null` if all secrets were sealed under known keys, or the database doesn't answer. */
export async function nameOtherMasterKey(
  database: { db: Database; where: string },
  given: { masterKey: string; previous: string | undefined },
): Promise<string | null> {
  const masters = [given.masterKey, ...(given.previous === undefined ? [] : [given.previous])];
  const keyIds = await Promise.all(masters.map((master) => masterKeyId(bytesOf(master))));
  const found = await createSealingStore(database.db).foreign(keyIds);
  if (!found.ok || found.value.credentials.foreign + found.value.servers.foreign === 0) return null;
  return sentence(database.where, keyIds[0] ?? "", found.value);
}
