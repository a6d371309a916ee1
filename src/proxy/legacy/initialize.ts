/** `initialize` through the proxy: advertises the router's sampling, and stores the session before the client gets its answer. */
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { isObject, own, type JsonObject } from "../../domain/json.ts";
import { returnedHeaders } from "../../domain/servers/proxied-headers.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import type { RequestId } from "../../mcp/json-text/exact-ids.ts";
import { derive, refuse, sendOn, type Exchange } from "../exchange.ts";
import { dropBody, readAnswer, type FirstAnswer } from "../first-answer.ts";
import type { LegacyServices } from "./services.ts";
import { advertise, type Advertised } from "./advertise.ts";
import type { AnsweringDeps } from "./answer-sampling.ts";
import { relayAnswer } from "./relay.ts";

const timeoutMs = 60_000;

export const isRefused = ({ response, answer }: FirstAnswer): boolean =>
  (response.status >= 400 && response.status < 500) || isObject(own(answer, "error"));

/** Sends `initialize`, once more with less if the server refuses the rich form. Stores no session. */
export async function initializeServer(
  services: Pick<LegacyServices, "background" | "retests" | "servers" | "sessions" | "upstream">,
  exchange: Exchange,
  params: JsonObject,
): Promise<Result<{ advertised: Advertised; first: FirstAnswer }, Refusal>> {
  const { server, text } = exchange;
  const requested = params["protocolVersion"];
  const context = {
    mode: server.sampling,
    revision: typeof requested === "string" ? requested : "",
    routerCapabilities: services.sessions.offerFor(exchange.caller.snapshot, server),
    modalities: server.supportedModalities ? "advertised" : "hidden",
  } as const;
  const send = async (advertised: Advertised): Promise<Result<FirstAnswer, Refusal>> => {
    const response = await sendOn(services, exchange, { body: advertised.text, timeoutMs });
    const reading = server.sampling === "client" ? "anyhow" : "certainly";
    return response.ok ? readAnswer(response.value, reading) : response;
  };
  const knownBare = server.learned.bareCapabilities === true;
  const learnBare = (bareCapabilities: true | null): void =>
    services.background(services.servers.learn(server.tenantId, server.id, { bareCapabilities }));
  const bare = advertise(text, { ...context, form: "bare" });
  const rich = advertise(text, { ...context, form: "rich" });
  const isAlike = rich.text === bare.text;
  const isRich = !isAlike && (!knownBare || services.retests.isDue(server, "rich_capabilities"));
  const advertised = isRich ? rich : bare;
  const first = await send(advertised);
  if (first.ok && isRich && isRefused(first.value)) {
    const again = await send(bare);
    if (again.ok && !isRefused(again.value)) {
      await dropBody(first.value);
      services.retests.note(server, "rich_capabilities");
      if (!knownBare) learnBare(true);
      return ok({ advertised: bare, first: again.value });
    }
  } else if (first.ok && isRich && knownBare && first.value.response.ok) learnBare(null);
  return first.ok ? ok({ advertised, first: first.value }) : first;
}

export function declaredIn({
  capabilities,
  clientInfo,
}: JsonObject): Pick<Session, "capabilities" | "clientInfo"> {
  return {
    capabilities: isObject(capabilities) ? capabilities : {},
    clientInfo: isObject(clientInfo) ? clientInfo : {},
  };
}

export async function proxyInitialize(
  services: AnsweringDeps & Pick<LegacyServices, "retests" | "servers" | "sessions" | "upstream">,
  exchange: Exchange,
  { id, params }: { id: RequestId; params: JsonObject },
): Promise<ClientAnswer> {
  const { server, caller } = exchange;
  const refused = (refusal: Refusal): Promise<ClientAnswer> =>
    refuse(refusal, { id, requestId: exchange.requestId });
  const started = await initializeServer(services, exchange, params);
  if (!started.ok) return refused(started.error);
  const { advertised, first } = started.value;
  const { response, answer, body } = first;
  const upstreamId = response.headers.get("Mcp-Session-Id");
  const result = own(answer, "result");
  let session: Session | null = null;
  if (upstreamId !== null && isObject(result)) {
    const revision = own(result, "protocolVersion");
    const stored = await services.sessions.beginWithServer(server, caller.snapshot.key.id, {
      revision:
        [revision, params["protocolVersion"]].find((value) => typeof value === "string") ?? "",
      ...declaredIn(params),
      upstreamId,
      advertisedCapabilities: advertised.capabilities,
      bridge: null,
    });
    if (!stored.ok) {
      await dropBody(first);
      return refused(stored.error);
    }
    session = stored.value;
  }
  const rest = new Response(body, {
    status: response.status,
    headers: returnedHeaders(response.headers),
  });
  // A server may send sampling requests with this answer too.
  if (server.sampling === "client" || !response.ok) return rest;
  const inSession = derive(exchange, { caller: (seen) => ({ ...seen, session }) });
  // The era's negotiation may read the answer before the client does, so the stream has no owner.
  return relayAnswer(
    services,
    { ...inSession, owner: null },
    {
      response: rest,
      stream: { tool: null, answers: null, isOpen: () => false },
      ended: () => undefined,
    },
  );
}
