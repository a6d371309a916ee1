import { err, ok, type Result } from "../domain/result.ts";
import type { Database } from "../store/db.ts";
import type { Answering } from "./admin.ts";
import { connect, nameOf } from "./migrations.ts";
import { nameOtherMasterKey } from "./master-key.ts";
import type { Settings } from "./settings.ts";
import { openLibsql } from "../store/db.ts";

const readyWithinMs = 15_000;
const pauseMs = 50;

export async function untilReady(router: Answering): Promise<Result<null, string>> {
  const until = performance.now() + readyWithinMs;
  for (;;) {
    const { status, text } = await router.request("/health/ready", { method: "GET", headers: {} });
    if (status === 200) return ok(null);
    if (performance.now() > until)
      return err(
        `the router is not ready: ${status} ${text.replaceAll(/\s+/g, " ").slice(0, 300)}`,
      );
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

export const describe = ({ database }: Settings): string =>
  database === null ? "embedded" : new URL(database.url).host;

/** `own`: `null` for a libSQL server. */
export async function otherMasterKey(
  own: Database | null,
  { database, passedOn }: Settings,
  { masterKey }: { masterKey: string },
): Promise<string | null> {
  const given = { masterKey, previous: passedOn["MASTER_KEY_PREVIOUS"] };
  if (own !== null) return nameOtherMasterKey({ db: own, where: "the embedded database" }, given);
  if (database === null) return null;
  const client = connect(database);
  try {
    return await nameOtherMasterKey({ db: openLibsql(client), where: nameOf(database) }, given);
  } finally {
    client.close();
  }
}
