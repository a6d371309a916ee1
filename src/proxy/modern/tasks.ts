/** Requests about a task, which only the caller that began it can send. */
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { own } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { RouterCapabilities } from "../../domain/servers/offer.ts";
import { modernWireOf } from "../../mcp/faults.ts";
import type { ProxiedRequest } from "../../mcp/message.ts";
import { modernCodec, type ModernMeta } from "../../mcp/rev2026/codec.ts";
import { headerText } from "../../mcp/rev2026/headers.ts";
import { roundWire } from "../../mcp/rev2026/round.ts";
import { refuse, type Exchange } from "../exchange.ts";
import { relayRounds } from "./relay.ts";
import { createRoundSampler } from "./round-sampling.ts";
import type { ModernServices } from "./rounds.ts";
import { openTask, type TaskOwner } from "./task-ids.ts";
import { createTaskRound, taskMethods } from "./task-round.ts";

/** Also for unknown methods: a list of tasks, for example, would name those of other callers. */
export const isOfTasks = (method: string): boolean => method.startsWith("tasks/");

const notATaskMethod = (method: string): Refusal => ({
  reason: "method_not_found",
  method: method.slice(0, 100),
  detail: `for tasks, 2026-07-28 defines ${taskMethods.join(", ")}`,
});

export async function withTask(
  services: ModernServices,
  exchange: Exchange,
  message: {
    request: ProxiedRequest;
    owner: TaskOwner;
    meta: ModernMeta;
    routerCapabilities: RouterCapabilities;
    /** JSON text, with the capabilities that the server sees */
    text: string;
  },
): Promise<ClientAnswer> {
  const { request, owner, meta, text } = message;
  const { server, requestId } = exchange;
  const { id, method, params } = request;
  const refused = (refusal: Refusal): Promise<ClientAnswer> =>
    refuse(refusal, { id, requestId, wireOf: modernWireOf });
  if (!taskMethods.includes(method)) return refused(notATaskMethod(method));
  const opened = await openTask(services.states, owner, own(params, "taskId"));
  if (!opened.ok) return refused(opened.error);
  const { task, sealedId } = opened.value;
  const headers = new Headers([...exchange.headers]);
  headers.set("Mcp-Name", headerText(task.id));
  const round = createTaskRound(
    { wire: roundWire, sha256Hex: services.sha256Hex },
    {
      text,
      idText: JSON.stringify(id),
      method,
      task,
      sealedId,
      owner,
      mode: server.sampling,
      declared: modernCodec.capabilitiesOf(meta.capabilities),
    },
    createRoundSampler(services, exchange, { ...message, tool: task.tool }),
  );
  return relayRounds(services, { ...exchange, headers }, { id, round });
}
