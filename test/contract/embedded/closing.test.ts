/** What becomes of jobs that come while the embedded engine closes, as those of a start that is ended at once. */
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { raw } from "../../../src/store/db.ts";
import { openOverEngine } from "../../../src/store/over-engine.ts";
import { givenFolder, startEngine } from "../../setup/engine.ts";
import { value } from "../store/open.ts";

const select = { sql: "select text from t", params: [] };

it("refuses jobs that come after its end began, and does those that came before", async () => {
  const folder = givenFolder();
  try {
    const engine = await startEngine(folder.path);
    const db = openOverEngine(engine);
    value(await db.write([raw(sql`create table t (text text)`)]));
    const before = db.write([raw(sql`insert into t values ('before')`)]);
    const closing = engine.close();
    const reading = engine.read([select]);
    expect((await before).ok).toBe(true);
    expect((await reading).ok).toBe(false);
    await closing;
    expect((await db.write([raw(sql`insert into t values ('after')`)])).ok).toBe(false);
    const again = await startEngine(folder.path);
    const found = await again.read([select]);
    expect(JSON.stringify(found)).toContain("before");
    expect(JSON.stringify(found)).not.toContain("after");
    await again.close();
  } finally {
    folder.remove();
  }
});
