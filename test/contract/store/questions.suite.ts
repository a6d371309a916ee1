/** Questions to clients: each answer comes from the caller who was asked, and is taken once. */
import { describe, expect, it } from "vitest";
import { caller, session, start } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

export const questionsSuite = (backend: Backend): void => {
  describe("questions", () => {
    const world = givenWorld(backend);
    const deadline = start + 10;

    async function asked(ids: readonly string[] = ["a", "b"]) {
      const { tenantId, keyId } = await caller(world.stores);
      const { questions, sessions } = world.stores;
      const { id: sessionId } = session(tenantId, keyId);
      const round = { tenantId, sessionId, ids };
      value(await sessions.create(session(tenantId, keyId, { id: sessionId })));
      value(await questions.ask(round, { askedOf: "me", deadline }));
      const answer = async (id: string, text: string, about: object = {}, now = start) => {
        const question = { tenantId, sessionId, id, askedOf: "me", ...about };
        return value(await questions.answer(question, text, now));
      };
      const take = async () => value(await questions.take(round));
      return { round, answer, take };
    }

    it("take each answer once, while the others are waited for", async () => {
      const { answer, take } = await asked();
      expect(await take()).toEqual({ answers: new Map(), isOpen: true });
      expect(await answer("b", "v1.b")).toBe(true);
      const taken = await Promise.all([take(), take()]);
      expect(taken.flatMap(({ answers }) => [...answers])).toEqual([["b", "v1.b"]]);
      expect(await answer("a", "v1.a")).toBe(true);
      expect(await take()).toEqual({ answers: new Map([["a", "v1.a"]]), isOpen: true });
    });

    it("keep the first answer, of two that come at the same time too", async () => {
      const { answer, take } = await asked();
      const kept = await Promise.all([answer("a", "v1.1"), answer("a", "v1.2")]);
      expect(kept.toSorted()).toEqual([false, true]);
      expect(await answer("a", "v1.3")).toBe(false);
      const { answers } = await take();
      expect([...answers]).toEqual([["a", kept[0] ? "v1.1" : "v1.2"]]);
      expect(await answer("a", "v1.4")).toBe(false);
    });

    it("take none from another caller, tenant or session, for another question, or late", async () => {
      const { answer, take } = await asked();
      for (const about of [{ askedOf: "you" }, { tenantId: "ten_2" }, { sessionId: "ses_2" }])
        expect(await answer("a", "v1.x", about)).toBe(false);
      expect(await answer("c", "v1.x")).toBe(false);
      expect(await answer("a", "v1.x", {}, deadline)).toBe(false);
      expect(await take()).toEqual({ answers: new Map(), isOpen: true });
    });

    it("reach the process that they are for, which gets each content once", async () => {
      const { questions } = world.stores;
      const { tenantId } = await caller(world.stores);
      const ask = async (id: string, sessionId: string) =>
        value(
          await questions.ask(
            { tenantId, sessionId, ids: [id] },
            { askedOf: `call ${id}`, deadline, content: `v1.${id}` },
          ),
        );
      const receive = async (sessionId: string) => {
        const tenantIds = ["ten_2", tenantId];
        const received = value(await questions.receive({ tenantIds, sessionId }));
        return received.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      };
      await Promise.all([ask("a", "here"), ask("b", "here"), ask("c", "there")]);
      const of = (id: string, content: string | null = null) => ({
        tenantId,
        id,
        askedOf: `call ${id}`,
        content,
      });
      expect(await receive("here")).toEqual([of("a", "v1.a"), of("b", "v1.b")]);
      expect(await receive("here")).toEqual([of("a"), of("b")]);
      const answered = { tenantId, sessionId: "here", id: "a", askedOf: "call a" };
      expect(value(await questions.answer(answered, "v1.outcome", start))).toBe(true);
      value(await questions.withdraw({ tenantId, sessionId: "here", ids: ["b"] }));
      expect(await receive("here")).toEqual([]);
      const taken = await questions.take({ tenantId, sessionId: "here", ids: ["a"] });
      expect(value(taken).answers).toEqual(new Map([["a", "v1.outcome"]]));
    });

    it("go with their session, when they are withdrawn, and after their deadline", async () => {
      const { questions, sessions } = world.stores;
      const first = await asked();
      value(await sessions.end(first.round.tenantId, first.round.sessionId, null));
      expect(await first.answer("a", "v1.a")).toBe(false);
      expect(await first.take()).toEqual({ answers: new Map(), isOpen: false });
      const second = await asked();
      expect(await second.answer("a", "v1.a")).toBe(true);
      value(await questions.withdraw(second.round));
      expect(await second.take()).toEqual({ answers: new Map(), isOpen: true });
      await asked();
      value(await questions.prune(deadline));
      expect(value(await questions.prune(deadline + 1))).toBe(2);
      expect(value(await questions.prune(deadline + 1))).toBe(0);
    });
  });
};
