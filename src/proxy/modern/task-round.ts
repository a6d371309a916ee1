/**
 * One request about a task (io.modelcontextprotocol/tasks). A task's sampling requests are in the result of `tasks/get`: the
 * router answers them with `tasks/update`, and the client gets the task without them.
 */
import { own, type JsonObject } from "../../domain/json.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import {
  maxEntries,
  samplingEntriesIn,
  type RoundWire,
  type Task,
} from "../../domain/sampling/rounds.ts";
import { answererOf } from "../../domain/servers/answering.ts";
import type { SamplingMode } from "../../domain/servers/server.ts";
import { withMember } from "../../mcp/json-text/raw-json.ts";
import { sampleEntries, type RoundSampler } from "./round-sampling.ts";
import { forServer } from "./round-state.ts";
import { refusing, type Round, type RoundAction } from "./rounds.ts";
import type { TaskOwner } from "./task-ids.ts";

export const taskMethods: readonly string[] = ["tasks/get", "tasks/update", "tasks/cancel"];

/** ms for which a repeated `tasks/get` gets the same samples. A key is unique within its task. */
const keptMs = 24 * 3_600_000;

export interface TaskRequest {
  /** JSON text, with the client's id of the task */
  text: string;
  idText: string;
  method: string;
  task: Task;
  /** what the client calls the task */
  sealedId: string;
  owner: TaskOwner;
  mode: SamplingMode;
  declared: JsonObject;
}

/** Removes the router's entries. If none are left, the client sees the status `working`. */
function hiding(
  wire: RoundWire,
  response: string,
  { asked, ours }: { asked: readonly string[]; ours: readonly string[] },
): string {
  const left = wire.remaining(response, { without: ours, state: null });
  if (asked.length > ours.length) return left;
  const without = withMember(left, ["result", "inputRequests"], null);
  return withMember(without, ["result", "status"], JSON.stringify("working"));
}

export function createTaskRound(
  deps: {
    wire: RoundWire;
    sha256Hex: (text: string) => Promise<string>;
  },
  request: TaskRequest,
  sampler: RoundSampler,
): Round {
  const { wire, sha256Hex } = deps;
  const { idText, method, task, sealedId, mode, declared } = request;
  const named = withMember(request.text, ["params", "taskId"], JSON.stringify(task.id));
  const text = forServer(wire, { text: named, mode }, wire.responsesOf(named));
  /** the answer to the client, once the server has the router's samples */
  let shown: string | null = null;

  const sample = async (
    response: string,
    requests: JsonObject,
    signal: AbortSignal,
  ): Promise<RoundAction> => {
    const ours = samplingEntriesIn(requests).filter(
      ({ params }) => answererOf(mode, sampler.decode(params), declared) === "router",
    );
    if (ours.length === 0) return { kind: "deliver", text: response };
    if (ours.length > maxEntries)
      return refusing({
        reason: "forbidden",
        action: `more than ${maxEntries} concurrent sampling requests`,
      });
    const open = await Promise.all(
      ours.map(async (entry) => {
        const { keyId, serverId } = request.owner;
        const same = [keyId, serverId, task.id, entry.key, wire.entryText(response, entry.key)];
        const digest = await sha256Hex(JSON.stringify(same));
        return { entry, replayKey: { kind: "round", digest, keptMs } as const };
      }),
    );
    const { outcomes, refused, isHeld } = await sampleEntries(open, { sampler, signal, sha256Hex });
    const keys = { asked: Object.keys(requests), ours: ours.map(({ key }) => key) };
    // The client's next `tasks/get` joins the calls that wait for approval.
    if (isHeld) return { kind: "deliver", text: hiding(wire, response, keys) };
    if (refused !== null) return refusing(refused.refusal, refused.requestId);
    shown = hiding(wire, response, keys);
    const answers = outcomes.flatMap((each): [string, string][] =>
      each.kind === "answered" ? [[each.key, each.text]] : [],
    );
    const id = JSON.stringify(`sampling-router-${open[0]?.replayKey.digest}`);
    const inputResponses = wire.objectText(answers);
    return {
      kind: "send",
      method: "tasks/update",
      text: withMember(
        wire.repeated(text, { inputResponses, requestState: null, id }),
        ["method"],
        JSON.stringify("tasks/update"),
      ),
      idText: id,
    };
  };

  return {
    first: { text, idText },
    held: null,
    repeated: () => shown !== null,
    surelyHarmless: () => false,
    looksAgain: async () => false,
    onRefusal: async (refusal: Refusal) => refusing(refusal),
    async actOn(response, signal) {
      const answer = JSON.parse(response) as unknown;
      if (shown !== null)
        return own(answer, "error") === undefined
          ? { kind: "deliver", text: shown }
          : refusing(serverFailed("It refused the answers to its task's sampling requests."));
      const result = own(answer, "result");
      const isNamed = own(result, "taskId") !== undefined;
      const renamed = isNamed ? wire.withTaskId(response, sealedId) : response;
      const requests = own(result, "inputRequests");
      return method === "tasks/get" && requests !== undefined
        ? sample(renamed, requests as JsonObject, signal)
        : { kind: "deliver", text: renamed };
    },
  };
}
