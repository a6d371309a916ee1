/** Whether a router answers, and which lines about its databases a person reads. */
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

/** Hosts, and how many more shards there are. */
export function describe({ databases, embedded }: Settings): string {
  const [first] = databases;
  const home = embedded || first === undefined ? "embedded" : new URL(first.url).host;
  const others = databases.length - (embedded ? 0 : 1);
  return others === 0 ? home : `${home}, and ${others} more shard${others === 1 ? "" : "s"}`;
}

/** What there is to say of each database that another MASTER_KEY sealed. `own`: null where the home shard is elsewhere. */
export async function* otherMasterKeys(
  own: Database | null,
  { databases, passedOn }: Settings,
  { masterKey }: { masterKey: string },
): AsyncGenerator<string> {
  const given = { masterKey, previous: passedOn["MASTER_KEY_PREVIOUS"] };
  if (own !== null) {
    const line = await nameOtherMasterKey({ db: own, where: "the embedded database" }, given);
    if (line !== null) yield line;
  }
  for (const database of databases) {
    const client = connect(database);
    const target = { db: openLibsql(client), where: nameOf(database) };
    const line = await nameOtherMasterKey(target, given);
    client.close();
    if (line !== null) yield line;
  }
}
