/** Beyond a bounded queue writes are refused, and tenants take turns. */
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createSharedQueues,
  createAdmissionQueue,
} from "../../../src/pipeline/sampling/scheduling.ts";
import { raw, type Database } from "../../../src/store/db.ts";
import type { EmbeddedEngine } from "../../../src/store/engines/embedded/engine.ts";
import { openOverEngine } from "../../../src/store/over-engine.ts";
import { givenFolder, startEngine } from "../../setup/engine.ts";
import { value } from "../store/open.ts";

describe("more writes than the embedded engine has slots for", () => {
  const folder = givenFolder();
  let engine: EmbeddedEngine;
  let db: Database;
  beforeAll(async () => {
    engine = await startEngine(folder.path);
    const writeQueue = createAdmissionQueue({
      order: createSharedQueues(64).writes,
      elapsed: () => Math.round(performance.now()),
      after(ms, act) {
        const timer = setTimeout(act, ms);
        return () => clearTimeout(timer);
      },
      immediately: (act) => void setImmediate(act),
    });
    db = openOverEngine(engine, { writeQueue });
    value(await db.write([raw(sql`create table t (lane text)`)]));
  });
  afterAll(async () => {
    await engine.close();
    folder.remove();
  });
  const write = (lane: string, kind: "begins" | "ends" = "begins") =>
    db.write([raw(sql`insert into t values (${lane})`)], { lane, kind });
  const written = async (lane: string) =>
    Number(
      value(await db.write([raw(sql`select count(*) as n from t where lane = ${lane}`)]))[0]?.[0]?.[
        "n"
      ],
    );

  it("are refused with a time to wait, and nothing of the refused calls was written", async () => {
    const flood = Array.from({ length: 1_000 }, () => write("flooding"));
    const calm = Promise.all([write("calm"), write("calm")]);
    const ending = write("flooding", "ends");
    expect((await calm).every(({ ok }) => ok)).toBe(true);
    expect((await ending).ok).toBe(true);
    const answers = await Promise.all(flood);
    const refused = answers.filter(({ ok }) => !ok);
    expect(refused.length).toBeGreaterThan(500);
    for (const answer of refused)
      expect(answer).toEqual({
        ok: false,
        error: { reason: "unavailable", retryAfterMs: expect.any(Number) },
      });
    expect(await written("calm")).toBe(2);
    expect(await written("flooding")).toBe(1_000 - refused.length + 1);
  });
});
