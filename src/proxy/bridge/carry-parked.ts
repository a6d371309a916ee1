/** Carries one request of a modern client whose call may wait for the client's answers. */
import { own } from "../../domain/json.ts";
import { roundMethods, type CarriedState } from "../../domain/sampling/rounds.ts";
import { withMember } from "../../mcp/json-text/raw-json.ts";
import { parsedMessages } from "../../mcp/json-text/exact-ids.ts";
import { messageIn, type ProxiedRequest } from "../../mcp/message.ts";
import type { ModernMeta } from "../../mcp/rev2026/codec.ts";
import { sseMessageText } from "../../mcp/sse/write.ts";
import { concludeRefused } from "../client-reply.ts";
import type { Exchange } from "../exchange.ts";
import type { NeededPages } from "./needed-pages.ts";
import { askParked, beginParked, messagesOf } from "./park.ts";
import type { ForwardParked } from "./parked-calls.ts";
import { answerTo, type Bridging } from "./relay.ts";
import { lost, resumeParked } from "./resume-parked.ts";
import type { BridgeServices } from "./services.ts";
import { ok } from "../../domain/result.ts";

export const mayPark = (
  { server }: Pick<Exchange, "server">,
  { request, meta }: { request: ProxiedRequest; meta: ModernMeta },
): boolean =>
  server.parking &&
  roundMethods.includes(request.method) &&
  own(meta.capabilities, "elicitation") !== undefined;

/** A missing or incomplete response means that the object is gone. */
async function carryToObject(
  exchange: Exchange,
  { reply, gone, request }: Pick<Bridging, "reply" | "gone" | "request">,
  { forward, owner }: { forward: ForwardParked; owner: string | null },
): Promise<void> {
  try {
    const response = await forward(exchange, { owner, gone });
    for await (const text of messagesOf(response)) {
      if (messageIn(parsedMessages(text) ?? null).kind === "response")
        return await answerTo({ reply }, text, response.status);
      reply.begin({});
      await reply.write(sseMessageText(text));
    }
  } catch {
    // Refused below.
  }
  return concludeRefused(reply, gone.aborted ? { reason: "cancelled" } : lost, request);
}

export async function carryParked(
  services: BridgeServices,
  exchange: Exchange,
  context: {
    request: ProxiedRequest;
    meta: ModernMeta;
    bridging: Omit<Bridging, "translate">;
    pages: NeededPages;
    /** null: the call begins */
    state: NonNullable<CarriedState["parked"]> | null;
  },
): Promise<void> {
  const { request, meta, bridging, pages, state } = context;
  const { reply, gone } = bridging;
  const { parking } = services;
  const refused = bridging.request;
  if ("forward" in parking)
    return carryToObject(exchange, bridging, { ...parking, owner: state?.epoch ?? null });
  const { calls } = parking;
  const reached =
    state === null
      ? await beginParked(services, exchange, { calls, request, meta, reply, gone })
      : ok({ ...state, ...(await resumeParked(services, exchange, { calls, state, gone })) });
  if (!reached.ok) return concludeRefused(reply, reached.error, refused);
  const { id, epoch, round, outcome } = reached.value;
  if (outcome === null) return concludeRefused(reply, { reason: "cancelled" }, refused);
  if (outcome.kind === "refused") return concludeRefused(reply, outcome.refusal, refused);
  if (outcome.kind === "asks") {
    const { params } = outcome;
    const { patienceMs } = calls;
    const parked = { id, epoch, round: round + 1 };
    return answerTo(
      bridging,
      await askParked(services, exchange, { request, parked, params, patienceMs }),
      200,
    );
  }
  // A call has one id at the server, and one for each round of its client.
  const named = withMember(outcome.text, ["id"], JSON.stringify(request.id));
  const answer = pages.translate({ kind: "answer", text: named });
  const text = answer.kind === "asks" ? await pages.ask(answer.text) : named;
  return answerTo(bridging, text, 200);
}
