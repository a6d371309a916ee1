/** `home` asks sleeping databases whether they are sealed under the new master key. */
import { describe, expect, it } from "vitest";
import { createIds } from "../../../src/domain/tenancy/ids.ts";
import { createResealTenantsJob } from "../../../src/pipeline/scheduled/reseal-tenants.ts";
import { createPlacementStore } from "../../../src/store/directory/placements.ts";
import { inlineBackend } from "../../setup/inline-backend.ts";
import { start } from "../store/fixtures.ts";
import { storesOn, value } from "../store/open.ts";

type Answer = boolean | "unreachable";

async function given(answers: Record<string, Answer>) {
  const { db, close } = await inlineBackend().openMigrated();
  const { resealedTenants, events } = storesOn(db);
  const placements = createPlacementStore(db);
  for (const database of Object.keys(answers)) {
    const placement = { slug: database, tenantId: `ten_${database}`, database, residency: null };
    value(await placements.claim(placement));
    value(await placements.confirm(placement, { name: database, createdAt: start }));
  }
  const asked: string[] = [];
  const ids = createIds({
    now: () => start,
    randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
  });
  const job = (keyId: string) =>
    createResealTenantsJob({
      keyId,
      tenants: resealedTenants,
      async isResealed(database) {
        asked.push(database);
        const answer = answers[database] ?? false;
        return answer === "unreachable"
          ? { ok: false, error: { reason: "unavailable", retryAfterMs: 1 } }
          : { ok: true, value: answer };
      },
      ids,
      now: () => start,
    });
  return {
    answers,
    close,
    async run(keyId = "key-b") {
      asked.length = 0;
      const done = value(await job(keyId)());
      return { done, asked: asked.toSorted() };
    },
    async told() {
      const { data } = value(await events.list(null, { cursor: null, limit: 50 }));
      return data.map(({ action, target }) => [action, target]);
    },
  };
}

describe("sealing anew in databases that sleep", () => {
  it("asks each database until its seals are new, and reports when all databases are done", async () => {
    const world = await given({ one: true, two: false, three: "unreachable" });
    expect(await world.run()).toEqual({ done: 1, asked: ["one", "three", "two"] });
    expect(await world.run()).toEqual({ done: 0, asked: ["three", "two"] });
    expect(await world.told()).toEqual([]);
    Object.assign(world.answers, { two: true, three: true });
    expect(await world.run()).toEqual({ done: 2, asked: ["three", "two"] });
    expect(await world.told()).toEqual([["secrets.resealed_everywhere", "key-b"]]);
    expect(await world.run()).toEqual({ done: 0, asked: [] });
    expect(await world.told()).toHaveLength(1);
    await world.close();
  });

  it("begins anew under another key", async () => {
    const world = await given({ one: true });
    await world.run("key-b");
    expect(await world.run("key-c")).toEqual({ done: 1, asked: ["one"] });
    expect(await world.told()).toHaveLength(2);
    await world.close();
  });

  it("goes on where the round before stopped, and is done only after a pass that left none", async () => {
    const names = Array.from({ length: 120 }, (_, at) => `s${String(at).padStart(3, "0")}`);
    const world = await given(Object.fromEntries(names.map((name) => [name, true])));
    world.answers["s000"] = false;
    expect([(await world.run()).done, (await world.run()).done]).toEqual([50, 50]);
    expect((await world.run()).done).toBe(20);
    expect(await world.told()).toEqual([]);
    world.answers["s000"] = true;
    expect(await world.run()).toEqual({ done: 1, asked: ["s000"] });
    expect(await world.told()).toHaveLength(1);
    await world.close();
  });
});
