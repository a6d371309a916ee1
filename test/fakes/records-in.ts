/** The records that a router on an embedded database left, read after its end without another start. */
import { DatabaseSync } from "node:sqlite";
import { databaseFilesIn } from "./router.ts";

/** Outcomes of all calls, oldest first. */
export function outcomesIn(stateDir: string): string[] {
  const path = databaseFilesIn(stateDir).find((each) => each.endsWith(".sqlite"));
  if (path === undefined) throw new Error(`no database in ${stateDir}`);
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare("select outcome from sampling_requests order by id").all();
  database.close();
  return rows.map((row) => String(row["outcome"]));
}
