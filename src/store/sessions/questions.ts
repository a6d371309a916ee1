import { and, eq, gt, inArray, isNotNull, isNull, lt } from "drizzle-orm";
import type { AskedQuestions, QuestionStore } from "../../domain/ports/questions.ts";
import { ok } from "../../domain/result.ts";
import type { Database } from "../db.ts";
import { sessions } from "../schema.ts";
import { questions } from "../schema/session-schema.ts";

const these = ({ tenantId, sessionId, ids }: AskedQuestions) =>
  and(
    eq(questions.tenantId, tenantId),
    eq(questions.sessionId, sessionId),
    inArray(questions.id, [...ids]),
  );

export const createQuestionStore = (db: Database): QuestionStore => ({
  async ask({ tenantId, sessionId, ids }, { askedOf, deadline }) {
    const rows = ids.map((id) => ({ tenantId, sessionId, id, askedOf, deadline }));
    const written = await db.write([db.builder.insert(questions).values(rows)], { lane: tenantId });
    return written.ok ? ok(null) : written;
  },
  async answer({ tenantId, sessionId, id, askedOf }, sealed, now) {
    const written = await db.write(
      [
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
      ],
      { lane: tenantId },
    );
    return written.ok ? ok((written.value[0] ?? []).length > 0) : written;
  },
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
  async withdraw(asked) {
    const written = await db.write([db.builder.delete(questions).where(these(asked))], {
      lane: asked.tenantId,
    });
    return written.ok ? ok(null) : written;
  },
  async prune(now) {
    const written = await db.write([
      db.builder
        .delete(questions)
        .where(lt(questions.deadline, now))
        .returning({ id: questions.id }),
    ]);
    return written.ok ? ok((written.value[0] ?? []).length) : written;
  },
});
