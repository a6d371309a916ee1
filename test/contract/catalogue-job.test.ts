/** The daily sync over a real database: who syncs, what is refused, and what an isolate then holds. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCatalogueSource } from "../../src/catalogue/source.ts";
import { versionOf } from "../../src/catalogue/version.ts";
import { seedCatalogue } from "../../src/domain/models/catalogue.ts";
import { nameOf, type Model } from "../../src/domain/models/model.ts";
import type { CatalogueStore } from "../../src/domain/ports/catalogues.ts";
import {
  createCatalogueReader,
  holdCatalogue,
} from "../../src/pipeline/sampling/choice/catalogue.ts";
import { createCatalogueJob, syncNow } from "../../src/pipeline/scheduled/catalogue.ts";
import { apiJsonOf, startModelsDev, type ModelsDev } from "../fakes/models-dev.ts";
import { inlineBackend } from "../setup/inline-backend.ts";
import { model } from "../unit/domain/models.fixture.ts";
import { givenWorld, value } from "./store/open.ts";

const start = Date.UTC(2026, 10, 21);
const minuteMs = 60_000;
const dayMs = 86_400_000;
const newModel = model("mistral/mistral-new", { family: "mistral-large" });
const fileOf = (models: readonly Model[]): string => JSON.stringify(apiJsonOf(models));
const withNew = [...seedCatalogue.models, newModel];

describe("the catalogue's sync", () => {
  const world = givenWorld(inlineBackend());
  let now = start;
  let faults: string[] = [];
  let modelsDev: ModelsDev;
  beforeEach(async () => {
    [now, faults] = [start, []];
    modelsDev = await startModelsDev(fileOf(withNew));
  });
  afterEach(() => modelsDev.close());

  const deps = (catalogues: CatalogueStore = world.stores.catalogues) => ({
    catalogues,
    source: createCatalogueSource({ url: modelsDev.url, fetch }),
    seed: seedCatalogue,
    versionOf,
    now: () => now,
  });
  const job = () => createCatalogueJob({ ...deps(), report: (fault) => void faults.push(fault) })();
  const stored = async () => value(await world.stores.catalogues.newerThan("none"));

  it("stores what changed under a version that says the day and the content", async () => {
    const outcome = value(await syncNow(deps()));
    expect(outcome).toMatchObject({
      state: "synced",
      version: expect.stringMatching(/^2026-11-21\.[0-9a-f]{8}$/) as string,
      changes: { added: ["mistral/mistral-new"], retired: [], implausible: [] },
    });
    const found = await stored();
    expect(found?.models.map(nameOf)).toContain("mistral/mistral-new");
    expect(found?.version).toBe(outcome.state === "synced" ? outcome.version : "");
  });

  it("runs once a day, however often and from wherever it is asked", async () => {
    const done = await Promise.all([job(), job(), job()]);
    expect(done.map(value).toSorted()).toEqual([0, 0, 1]);
    now += dayMs - minuteMs;
    expect(value(await job())).toBe(0);
    expect(modelsDev.asked()).toBe(1);
    now += minuteMs;
    // The same file again is fetched, and changes nothing, not even the version.
    const before = await stored();
    expect(value(await job())).toBe(0);
    expect(modelsDev.asked()).toBe(2);
    expect((await stored())?.version).toBe(before?.version);
  });

  const shrunken = fileOf(
    withNew.filter(({ provider, id }) => provider !== "openai" || id < "gpt-5"),
  );
  it.each([
    ["malformed", "{", 200, /^malformed: not JSON/],
    ["of another shape", '{"openai": {"models": [1]}}', 200, /^malformed at openai\.models/],
    ["shrunken", shrunken, 200, /^shrunken: \d+ of \d+ models of openai/],
    ["an error", "", 500, /^HTTP 500/],
  ])(
    "refuses a file that is %s, keeps the old one, and tries again in an hour",
    async (_, body, status, fault) => {
      value(await job());
      const before = await stored();
      now += dayMs;
      modelsDev.answer(body, status);
      expect(value(await job())).toBe(0);
      expect(faults).toEqual([expect.stringMatching(fault)]);
      expect(await stored()).toEqual(before);
      expect(value(await world.stores.catalogues.state())).toMatchObject({
        fault: expect.stringMatching(fault) as string,
        dueAt: now + 60 * minuteMs,
      });
      now += 60 * minuteMs;
      expect(value(await job())).toBe(0);
      // The same fault again is no news.
      expect(faults).toHaveLength(1);
      modelsDev.answer(fileOf(seedCatalogue.models));
      now += 60 * minuteMs;
      expect(value(await job())).toBe(1);
      const gone = (await stored())?.models.find(({ id }) => id === "mistral-new");
      expect(gone?.status).toBe("retired");
      expect(value(await world.stores.catalogues.state())).toMatchObject({ fault: null });
    },
  );

  it("refuses a source that doesn't answer, and a file that never ends", async () => {
    const { url } = modelsDev;
    await modelsDev.close();
    const source = createCatalogueSource({ url, fetch });
    expect(await source.entries()).toEqual({
      ok: false,
      error: expect.stringMatching(/^no answer from 127\.0\.0\.1:\d+: the connection was refused$/),
    });
    const endless = createCatalogueSource({
      url,
      fetch: async () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
          }),
        ),
    });
    expect(await endless.entries()).toEqual({ ok: false, error: "longer than 16777216 bytes" });
  });

  it("ends with the process, and holds its end up for nobody", async () => {
    const ends = new AbortController();
    const source = createCatalogueSource({
      url: modelsDev.url,
      ends: ends.signal,
      fetch: (_, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
        }),
    });
    const read = source.entries();
    ends.abort();
    expect((await read).ok).toBe(false);
  });

  it("reaches an isolate by one read in the background, at most every five minutes", async () => {
    const demo = model("demo/demo-large");
    const held = holdCatalogue({ seed: seedCatalogue, always: [demo], now: () => 0 });
    const read = createCatalogueReader({ held, catalogues: world.stores.catalogues });
    expect([held.isDue(now), held.isDue(now), held.isDue(now + 5 * minuteMs)]).toEqual([
      true,
      false,
      true,
    ]);
    const seeded = held.current();
    expect(value(await read())).toBe(seeded);
    value(await job());
    // Until the catalogue was read, the seed is chosen from.
    expect(held.current()).toBe(seeded);
    const fresh = value(await read());
    expect(fresh.models.map(nameOf)).toEqual(
      expect.arrayContaining(["mistral/mistral-new", "demo/demo-large"]),
    );
    // The same value while nothing changes, so that what was prepared from it stays.
    expect(value(await read())).toBe(fresh);
    expect(held.current()).toBe(fresh);
  });
});
