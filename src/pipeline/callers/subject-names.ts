import type { AllNameStore, NameStore } from "../../domain/ports/names.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";

type Names = Record<string, string>;

/** `user:usr_1` and `run:key_1:nightly` contain an id. */
const idIn = (subject: string): string => /^(?:user|run):([^:]+)/.exec(subject)?.[1] ?? subject;
const runIn = (subject: string): string | null => /^run:[^:]+:(.+)$/.exec(subject)?.[1] ?? null;

const bySubject = (subjects: readonly string[], names: Names): Names =>
  Object.fromEntries(
    subjects.flatMap((subject): [string, string][] => {
      const name = names[idIn(subject)];
      const run = runIn(subject);
      if (name === undefined) return [];
      return [[subject, run === null ? name : `${run}, a run of ${name}`]];
    }),
  );

export async function namesOfSubjects(
  names: NameStore,
  tenantId: string,
  subjects: readonly string[],
): AsyncResult<Names> {
  const found = await names.of(tenantId, subjects.map(idIn));
  return found.ok ? ok(bySubject(subjects, found.value)) : found;
}

export async function namesOfAll(
  names: AllNameStore,
  wanted: readonly (readonly [tenantId: string, subject: string])[],
): AsyncResult<Names> {
  const found = await names.ofAll(wanted.map(([tenantId, subject]) => [tenantId, idIn(subject)]));
  if (!found.ok) return found;
  return ok(
    bySubject(
      wanted.map(([, subject]) => subject),
      found.value,
    ),
  );
}
