/**
 * The ids of a server's tasks (io.modelcontextprotocol/tasks), sealed for the caller that began them. With an id, a caller can
 * read the task's result, and a server can't tell callers apart that share the entry's secret.
 */
import type { Refusal } from "../../domain/refusals.ts";
import { serverFailed } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { Task } from "../../domain/sampling/rounds.ts";
import { statePrefix, type RoundStates, type StateOwner } from "./round-state.ts";

/** Characters of a server's id, which is also in a header. */
const maxIdCharacters = 1_000;
/** ms. A server may keep a task without a limit. */
const lifetimeMs = 365 * 24 * 3_600_000;

/** One message for every fault, so that callers learn nothing by guessing ids. */
export const taskRefused: Refusal = {
  reason: "invalid_params",
  path: "taskId",
  detail: "Unknown task: this caller didn't start it at this server, or its id has expired.",
};

export type TaskOwner = Omit<StateOwner, "digest">;

/** A task is not bound to one request, and no state of a request has this digest. */
const ownerOf = (owner: TaskOwner): StateOwner => ({ ...owner, digest: "task" });

export async function sealTask(
  states: RoundStates,
  owner: TaskOwner,
  { id, tool }: Pick<Task, "tool"> & { id: unknown },
): Promise<Result<string, Refusal>> {
  if (typeof id !== "string" || id.length > maxIdCharacters)
    return err(
      serverFailed(`The id of its task is missing, or longer than ${maxIdCharacters} characters.`),
    );
  const carried = { state: null, answers: [], rounds: 0, task: { id, tool } };
  return ok(await states.wrap(ownerOf(owner), carried, lifetimeMs));
}

export async function openTask(
  states: RoundStates,
  owner: TaskOwner,
  id: unknown,
): Promise<Result<{ task: Task; sealedId: string }, Refusal>> {
  if (typeof id !== "string" || !id.startsWith(statePrefix)) return err(taskRefused);
  const opened = await states.open(ownerOf(owner), id);
  return opened.ok && opened.value.task !== undefined
    ? ok({ task: opened.value.task, sealedId: id })
    : err(taskRefused);
}
