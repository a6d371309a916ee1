/** Carries one request of a legacy client to a modern server, again for each round of questions to the client. */
import { responseOf, type ClientAnswer } from "../../domain/ports/client-answer.ts";
import { readBounded } from "../../domain/bounded-body.ts";
import { deniedBy } from "../../domain/servers/answering.ts";
import { askedLimits, declaredElicitation, questionsIn } from "../../domain/servers/asking.ts";
import { bridgedDeclarations } from "../../domain/servers/bridging.ts";
import { own, parsedJson, type JsonObject } from "../../domain/json.ts";
import { refusalTable, type Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { takesStream } from "../../domain/servers/media-type.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { paramHeadersOf } from "../../mcp/translate/param-headers.ts";
import type { TranslatedMessage } from "../../mcp/translate/translated-message.ts";
import { translateFromModern, modernRequest } from "../../mcp/translate/to-modern.ts";
import { legacyWireOf } from "../../mcp/faults.ts";
import { withMember } from "../../mcp/json-text/raw-json.ts";
import type { ProxiedRequest } from "../../mcp/message.ts";
import { progressOf } from "../../mcp/progress.ts";
import { modernRevision } from "../../mcp/rev2026/codec.ts";
import { headerText, nameIn } from "../../mcp/rev2026/headers.ts";
import { roundWire } from "../../mcp/rev2026/round.ts";
import { sseMessage } from "../../mcp/sse/write.ts";
import { messageKey } from "../../pipeline/sampling/request/message-key.ts";
import { concludeRefused, openClientReply } from "../client-reply.ts";
import { derive, headersFor, type Exchange } from "../exchange.ts";
import { proxyModern } from "../modern/message.ts";
import { askClient } from "./ask-client.ts";
import type { BridgeServices } from "./services.ts";
import { logLevelOf } from "./session-requests.ts";
import {
  bridgedCaller,
  bridgedServer,
  concludeWithout,
  relayTranslated,
  type Bridging,
} from "./relay.ts";
import { noteTools, readTools } from "./tools.ts";

/** What the client answered in the round before. */
interface Round {
  inputResponses: string;
  requestState: string | null;
  /** JSON text of the request's id, new for each round */
  id: string;
}

interface Carrying {
  request: ProxiedRequest;
  session: Session;
  left: AbortSignal;
  /** null: the first round */
  round: Round | null;
}

function declarationsOf(session: Session, exchange: Exchange): JsonObject {
  const elicitation = takesStream(exchange.headers) ? declaredElicitation(session) : null;
  return {
    ...bridgedDeclarations(session.capabilities),
    ...(elicitation !== null && { elicitation }),
  };
}

function asModern(exchange: Exchange, { request, session, left, round }: Carrying): Exchange {
  const { method, params } = request;
  const first = modernRequest(exchange.text, {
    capabilities: declarationsOf(session, exchange),
    clientInfo: session.clientInfo,
    logLevel: logLevelOf(session),
  });
  const text = round === null ? first : roundWire.repeated(first, round);
  const name = nameIn(method, params);
  const declared =
    method === "tools/call" && name !== null && session.bridge?.to === "modern"
      ? (Object.entries(session.bridge.paramHeaders ?? {}).find(([tool]) => tool === name)?.[1] ??
        [])
      : [];
  const headers = headersFor(exchange.headers, [
    ["MCP-Protocol-Version", modernRevision],
    ["Mcp-Method", method],
    ...(name === null ? [] : [["Mcp-Name", headerText(name)] as const]),
    ...paramHeadersOf(declared, params),
  ]);
  return derive(exchange, { caller: bridgedCaller, message: { headers, text }, left });
}

const maxRefusalBytes = 64 * 1024;

/** Whether the server misses an `Mcp-Param-*` header, because its tools have changed. */
async function misses(response: Response): Promise<boolean> {
  if (response.status !== 400) return false;
  const bytes = await readBounded(response.clone().body, maxRefusalBytes);
  const answer = bytes === null ? undefined : parsedJson(new TextDecoder().decode(bytes));
  return own(own(answer, "error"), "code") === refusalTable.header_mismatch.code;
}

function translate(
  message: string,
  {
    server,
    request,
    session,
    round,
  }: Pick<Carrying, "request" | "round" | "session"> & Pick<Exchange, "server">,
): TranslatedMessage {
  const { method, params } = request;
  const { bridge } = session;
  const translated = translateFromModern(message, {
    method,
    tool: method === "tools/call" ? nameIn(method, params) : null,
    wrapped: (bridge?.to === "modern" ? bridge.wrapped : undefined) ?? {},
    revision: session.revision,
    denied: deniedBy(bridgedServer(server)),
  });
  return translated.kind === "answer" && round !== null
    ? { ...translated, text: withMember(translated.text, ["id"], JSON.stringify(request.id)) }
    : translated;
}

/** Sends the request, once more if the server misses a header that its tools now require. */
async function sendRound(
  services: BridgeServices,
  exchange: Exchange,
  carrying: Carrying,
): Promise<{ response: Response; session: Session }> {
  const { request, left } = carrying;
  let { session } = carrying;
  const calls = request.method === "tools/call";
  const send = async (): Promise<Response> =>
    responseOf(await proxyModern(services, asModern(exchange, { ...carrying, session })));
  const { bridge } = session;
  const isRead = bridge?.to !== "modern" || (bridge.paramHeaders !== null && bridge.wrapped);
  if (calls && !isRead)
    session = (await readTools(services, exchange, { session, left })) ?? session;
  const response = await send();
  const renewed =
    calls && (await misses(response))
      ? await readTools(services, exchange, { session, left })
      : null;
  if (renewed === null) return { response, session };
  await response.body?.cancel();
  session = renewed;
  return { response: await send(), session };
}

const waitingMessage = "Waiting for the user's answer.";

/** Asks the client what the server asks. @param asks the server's result, JSON text */
async function nextRound(
  services: BridgeServices,
  exchange: Exchange,
  context: Omit<Carrying, "round"> & { bridging: Omit<Bridging, "translate">; asks: string },
): Promise<Result<Round, Refusal>> {
  const { request, session, left, bridging, asks } = context;
  const { reply } = bridging;
  const result = own(parsedJson(asks), "result");
  const questions = questionsIn(result, declarationsOf(session, exchange));
  if (!questions.ok) return questions;
  const answers = await askClient(services, exchange, {
    session,
    reply,
    text: asks,
    questions: questions.value,
    progress: progressOf(request.params, services.elapsed, {
      message: waitingMessage,
      notify: (message) => void reply.write(sseMessage(message)),
    }),
    left,
  });
  if (!answers.ok) return answers;
  return ok({
    inputResponses: roundWire.objectText(answers.value),
    requestState: roundWire.stateGiven(asks),
    id: JSON.stringify(services.ids.next("question")),
  });
}

async function carry(
  services: BridgeServices,
  exchange: Exchange,
  context: Omit<Carrying, "round"> & { bridging: Omit<Bridging, "translate"> },
): Promise<void> {
  const { request, left, bridging } = context;
  let { session } = context;
  let round: Round | null = null;
  for (let rounds = 0; ; rounds += 1) {
    const current: Round | null = round;
    const sent = await sendRound(services, exchange, { request, session, left, round });
    ({ session } = sent);
    const whole: Bridging = {
      ...bridging,
      translate: (message) =>
        translate(message, { server: exchange.server, request, session, round: current }),
      // The client may call a tool immediately, in another isolate.
      ...(request.method === "tools/list" && {
        beforeAnswer: (message: string) =>
          noteTools(services, session, own(parsedJson(message), "result")),
      }),
    };
    const asks = await relayTranslated(whole, sent.response);
    if (asks === null) return;
    const next: Result<Round, Refusal> =
      rounds < askedLimits.rounds
        ? await nextRound(services, exchange, { request, session, left, bridging, asks })
        : err({ reason: "forbidden", action: `more than ${askedLimits.rounds} rounds of input` });
    if (!next.ok) return concludeWithout(whole, next.error);
    round = next.value;
  }
}

export async function carryToModern(
  services: BridgeServices,
  exchange: Exchange,
  { request, session }: { request: ProxiedRequest; session: Session },
): Promise<ClientAnswer> {
  const { requestId } = exchange;
  const { reply, response } = openClientReply({
    acceptsStream: takesStream(exchange.headers),
    left: exchange.left,
    owner: exchange.owner,
  });
  const { tenantId, id: sessionId } = session;
  const messageId = await messageKey(services, JSON.stringify(request.id));
  const watch = services.cancellation.watch({ tenantId, sessionId, messageId }, exchange.startedAt);
  // Leaving cancels nothing in the client's era. But a bridged session has no stream to resume, and disconnecting is
  // the only way to cancel in the server's.
  const left = AbortSignal.any([watch.signal, exchange.left]);
  const bridging = {
    reply,
    request: { id: request.id, requestId, wireOf: legacyWireOf },
    // Legacy clients of the official SDKs drop the body of any other status.
    statusOf: () => 200,
    gone: left,
  };
  const work = carry(services, exchange, { request, session, left, bridging });
  services.background(
    reply
      .during(work, {})
      .catch(async (thrown: unknown) => {
        services.report(requestId, thrown);
        await concludeRefused(reply, { reason: "internal" }, bridging.request);
      })
      .finally(() => watch.stop()),
  );
  return response;
}
