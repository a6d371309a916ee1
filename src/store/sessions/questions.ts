import { and, eq, gt, inArray, isNotNull, isNull, lt } from "drizzle-orm";
import type { AskedQuestions, QuestionStore } from "../../domain/ports/questions.ts";
import { ok } from "../../domain/result.ts";
import type { Database } from "../db.ts";
import { sessions } from "../schema.ts";
import { questions } from "../schema/session-schema.ts";
import { countRows, execute, hasRows, inLane } from "../execute.ts";

const these = ({ tenantId, sessionId, ids }: AskedQuestions) =>
  and(
    eq(questions.tenantId, tenantId),
    eq(questions.sessionId, sessionId),
    inArray(questions.id, [...ids]),
  );

export const createQuestionStore = (db: Database): QuestionStore => ({
  ask({ tenantId, sessionId, ids }, about) {
    const rows = ids.map((id) => ({ tenantId, sessionId, id, ...about }));
    return execute(inLane(db, tenantId), [db.builder.insert(questions).values(rows)]);
  },
  async receive({ tenantIds, sessionId }) {
    const { tenantId, id, askedOf, content } = questions;
    const theirs = and(inArray(tenantId, [...tenantIds]), eq(questions.sessionId, sessionId));
    const open = await db.read((builder) =>
      builder
        .select({ tenantId, id, askedOf, content })
        .from(questions)
        .where(and(theirs, isNull(questions.answer))),
    );
    if (!open.ok) return open;
    const isNew = open.value.filter((question) => question.content !== null);
    if (isNew.length === 0) return open;
    const ids = isNew.map((question) => question.id);
    const removed = await execute(db, [
      db.builder
        .update(questions)
        .set({ content: null })
        .where(and(theirs, inArray(id, ids))),
    ]);
    return removed.ok ? open : removed;
  },
  answer: ({ tenantId, sessionId, id, askedOf }, sealed, now) =>
    hasRows(inLane(db, tenantId), [
      db.builder
        .update(questions)
        .set({ answer: sealed })
        .where(
          and(
            these({ tenantId, sessionId, ids: [id] }),
            eq(questions.askedOf, askedOf),
            gt(questions.deadline, now),
            isNull(questions.answer),
          ),
        )
        .returning({ id: questions.id }),
    ]),
  async take(asked) {
    const { tenantId, sessionId } = asked;
    const seen = await db.read(async (builder) => {
      const [session] = await builder
        .select({ id: sessions.id })
        .from(sessions)
        .where(and(eq(sessions.tenantId, tenantId), eq(sessions.id, sessionId)));
      const answered = await builder
        .select({ id: questions.id })
        .from(questions)
        .where(and(these(asked), isNotNull(questions.answer)));
      return { isOpen: session !== undefined, isAnswered: answered.length > 0 };
    });
    if (!seen.ok) return seen;
    const { isOpen, isAnswered } = seen.value;
    if (!isAnswered) return ok({ answers: new Map(), isOpen });
    const taken = await db.write(
      [
        db.builder
          .delete(questions)
          .where(and(these(asked), isNotNull(questions.answer)))
          .returning({ id: questions.id, answer: questions.answer }),
      ],
      { lane: tenantId },
    );
    if (!taken.ok) return taken;
    const rows = taken.value[0] ?? [];
    return ok({
      answers: new Map(rows.map((row) => [String(row["id"]), String(row["answer"])])),
      isOpen,
    });
  },
  withdraw: (asked) =>
    execute(inLane(db, asked.tenantId), [db.builder.delete(questions).where(these(asked))]),
  prune: (now) =>
    countRows(db, [
      db.builder
        .delete(questions)
        .where(lt(questions.deadline, now))
        .returning({ id: questions.id }),
    ]),
});
