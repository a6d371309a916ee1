import type { NameStore } from "../../domain/ports/names.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";

/** `user:usr_1` and `run:key_1:nightly` contain an id. */
const idIn = (subject: string): string => /^(?:user|run):([^:]+)/.exec(subject)?.[1] ?? subject;
const runIn = (subject: string): string | null => /^run:[^:]+:(.+)$/.exec(subject)?.[1] ?? null;

export async function namesOfSubjects(
  names: NameStore,
  tenantId: string,
  subjects: readonly string[],
): AsyncResult<Record<string, string>> {
  const found = await names.of(tenantId, subjects.map(idIn));
  if (!found.ok) return found;
  return ok(
    Object.fromEntries(
      subjects.flatMap((subject): [string, string][] => {
        const name = found.value[idIn(subject)];
        const run = runIn(subject);
        if (name === undefined) return [];
        return [[subject, run === null ? name : `${run}, a run of ${name}`]];
      }),
    ),
  );
}
