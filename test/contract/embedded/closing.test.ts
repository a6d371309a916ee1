/** What becomes of jobs that come while the embedded engine closes, as those of a start that is ended at once. */
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { raw } from "../../../src/store/db.ts";
import { openOverEngine } from "../../../src/store/over-engine.ts";
import { givenFolder, startEngine } from "../../setup/engine.ts";
import { value } from "../store/open.ts";

const select = { sql: "select text from t", params: [] };
/** Holds a reading thread for some tenths of a second. */
const long = {
  sql: "with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000) select max(i) from n",
  params: [],
};
/** More than there are reading threads. */
const readersAtMost = 8;

it("refuses jobs that come after its end began, and does those that came before", async () => {
  const folder = givenFolder();
  try {
    const engine = await startEngine(folder.path);
    const db = openOverEngine(engine);
    value(await db.write([raw(sql`create table t (text text)`)]));
    const before = db.write([raw(sql`insert into t values ('before')`)]);
    const busy = Array.from({ length: readersAtMost }, () => engine.read([long]));
    const closing = engine.close();
    // Each thread is busy, so its end and a job after it would wait in one queue. A closed connection that is asked
    // ends the process.
    const late = Array.from({ length: readersAtMost }, () => engine.read([select]));
    expect((await before).ok).toBe(true);
    for (const each of busy)
      expect(await each).toMatchObject({ ok: true, rows: [{ values: [[1_000_000]] }] });
    for (const each of late) expect(await each).toMatchObject({ ok: false });
    await closing;
    expect((await db.write([raw(sql`insert into t values ('after')`)])).ok).toBe(false);
    const again = await startEngine(folder.path);
    const found = JSON.stringify(await again.read([select]));
    expect(found).toContain("before");
    expect(found).not.toContain("after");
    await again.close();
  } finally {
    folder.remove();
  }
});
