import { describe, expect, it } from "vitest";
import type { AnswerStore } from "../../../src/domain/answers.ts";
import { createMemoryAnswers } from "../../fakes/answers.ts";
import { start } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

const place = { tenantId: "ten_1", digest: "d1" };
const leaseMs = 1_000;

export const answersSuite = (backend: Backend): void => {
  const world = givenWorld(backend);
  describe.each<[string, () => AnswerStore]>([
    ["answers", () => world.stores.answers],
    ["answers in memory", createMemoryAnswers],
  ])("%s", (_, open) => {
    const claim = (store: AnswerStore, owner: string, now = start, more: object = {}) =>
      store
        .claim({ ...place, owner, now, leaseUntil: now + leaseMs, ...more })
        .then((claimed) => value(claimed));

    it("have one owner, whoever comes at once", async () => {
      const store = open();
      const owners = await Promise.all(["a", "b", "c", "d", "e"].map((name) => claim(store, name)));
      expect(new Set(owners.map(({ owner }) => owner)).size).toBe(1);
      expect(owners.every(({ sealed }) => sealed === null)).toBe(true);
    });

    it("are heard by everybody who comes later, until they expire", async () => {
      const store = open();
      await claim(store, "a");
      value(await store.keep(place, { owner: "a", sealed: "v1.x", expiresAt: start + 5_000 }));
      expect(await claim(store, "b", start + 4_999)).toEqual({ owner: "a", sealed: "v1.x" });
      expect(await claim(store, "b", start + 5_000)).toEqual({ owner: "b", sealed: null });
    });

    it("belong to the next when their owner is not heard of again", async () => {
      const store = open();
      await claim(store, "a");
      expect(await claim(store, "b", start + leaseMs - 1)).toMatchObject({ owner: "a" });
      expect(await claim(store, "b", start + leaseMs)).toMatchObject({ owner: "b" });
      value(await store.keep(place, { owner: "a", sealed: "late", expiresAt: start + 9_000 }));
      value(await store.release(place, "a"));
      expect(await claim(store, "c", start + leaseMs)).toEqual({ owner: "b", sealed: null });
    });

    it("are given up by their owner alone", async () => {
      const store = open();
      await claim(store, "a");
      value(await store.release(place, "b"));
      expect(await claim(store, "c")).toMatchObject({ owner: "a" });
      value(await store.release(place, "a"));
      expect(await claim(store, "c")).toMatchObject({ owner: "c" });
    });

    it("are of one tenant and one digest", async () => {
      const store = open();
      await claim(store, "a");
      expect(await claim(store, "b", start, { tenantId: "ten_2" })).toMatchObject({ owner: "b" });
      expect(await claim(store, "b", start, { digest: "d2" })).toMatchObject({ owner: "b" });
      expect(await claim(store, "b")).toMatchObject({ owner: "a" });
    });

    it("are pruned when they have expired", async () => {
      const store = open();
      await claim(store, "a");
      await claim(store, "a", start + 10, { digest: "d2" });
      expect(value(await store.prune(start + leaseMs))).toBe(1);
      expect(value(await store.prune(start + leaseMs))).toBe(0);
      expect(await claim(store, "b", start + 11, { digest: "d2" })).toMatchObject({ owner: "a" });
    });
  });
};
