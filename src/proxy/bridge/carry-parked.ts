/** Carries one request of a modern client whose call may wait for the client's answers. */
import { own } from "../../domain/json.ts";
import { roundMethods, type CarriedState } from "../../domain/sampling/rounds.ts";
import { withMember } from "../../mcp/json-text/raw-json.ts";
import type { ProxiedRequest } from "../../mcp/message.ts";
import type { ModernMeta } from "../../mcp/rev2026/codec.ts";
import { concludeRefused } from "../client-reply.ts";
import type { Exchange } from "../exchange.ts";
import type { NeededPages } from "./needed-pages.ts";
import { askParked, beginParked, resumeParked } from "./park.ts";
import { answerTo, type Bridging } from "./relay.ts";
import type { BridgeServices } from "./services.ts";
import { ok } from "../../domain/result.ts";

export const mayPark = (
  { parkedCalls }: Pick<BridgeServices, "parkedCalls">,
  { server }: Pick<Exchange, "server">,
  { request, meta }: { request: ProxiedRequest; meta: ModernMeta },
): boolean =>
  parkedCalls !== null &&
  server.parking &&
  roundMethods.includes(request.method) &&
  own(meta.capabilities, "elicitation") !== undefined;

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
  const { parkedCalls: calls } = services;
  const refused = bridging.request;
  if (calls === null) return concludeRefused(reply, { reason: "internal" }, refused);
  const begun =
    state === null
      ? await beginParked(services, exchange, { calls, request, meta, reply, gone })
      : null;
  if (begun?.ok === false) return concludeRefused(reply, begun.error, refused);
  const found =
    begun === null && state !== null
      ? await resumeParked(services, exchange, { calls, state })
      : begun && ok({ call: begun.value, round: 0 });
  if (found === null || !found.ok)
    return concludeRefused(reply, found?.error ?? { reason: "internal" }, refused);
  const { call, round } = found.value;
  const outcome = await call.outcomeOf(round, gone);
  if (outcome === null) return concludeRefused(reply, { reason: "cancelled" }, refused);
  if (outcome.kind === "refused") return concludeRefused(reply, outcome.refusal, refused);
  if (outcome.kind === "asks") {
    const { params } = outcome;
    return answerTo(
      bridging,
      await askParked(services, exchange, { request, call, round, params, calls }),
      200,
    );
  }
  // A call has one id at the server, and one for each round of its client.
  const named = withMember(outcome.text, ["id"], JSON.stringify(request.id));
  const answer = pages.translate({ kind: "answer", text: named });
  const text = answer.kind === "asks" ? await pages.ask(answer.text) : named;
  return answerTo(bridging, text, 200);
}
