/**
 * `initialize` through the proxy: the server is told what the router can do, and the session is stored
 * before the client hears of it.
 */
import { everyCapability } from "../../domain/capabilities.ts";
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import type { Offered } from "../../domain/offer.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { RequestId } from "../../mcp/jsonrpc.ts";
import { messageIn } from "../../mcp/proxy/message.ts";
import { tell, type Told } from "../../mcp/proxy/told.ts";
import { returnedHeaders } from "../../pipeline/upstream.ts";
import type { Services } from "../context.ts";
import { refuse, type ProxyArrived } from "./arrived.ts";
import { isEventStream } from "./relay.ts";

const timeoutMs = 60_000;
/** An answer to `initialize` holds names, capabilities and instructions. */
const maxAnswerBytes = 1024 * 1024;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

interface Begun {
  response: Response;
  /** the parsed answer; null: none could be found */
  answer: JsonObject | null;
  /** the answer's bytes as far as they were read, then the rest */
  body: ReadableStream<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer>;
}

const parsed = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
};

/** The answer in what has arrived of an event stream; null: not yet. */
function answerIn(text: string): JsonObject | null {
  for (const block of text.split(/\r\n\r\n|\n\n|\r\r/).slice(0, -1)) {
    const data = block
      .split(/\r\n|\n|\r/)
      .flatMap((line) => (line.startsWith("data:") ? [line.slice(5)] : []))
      .join("\n");
    const value = parsed(data);
    if (isObject(value) && messageIn(value).kind === "response") return value;
  }
  return null;
}

/** Reads as far as the answer goes, and no further. */
async function read(response: Response): Promise<Result<Begun, Refusal>> {
  const reader = response.body?.getReader();
  let bytes = new Uint8Array(0);
  const streams = isEventStream(response);
  for (;;) {
    const next = await reader?.read().catch(() => null);
    if (next === null)
      return err({
        reason: "server_failed",
        serverStatus: response.status,
        detail: "It broke off.",
      });
    if (next === undefined || next.done) break;
    const longer = new Uint8Array(bytes.byteLength + next.value.byteLength);
    longer.set(bytes);
    longer.set(next.value, bytes.byteLength);
    bytes = longer;
    if (bytes.byteLength > maxAnswerBytes) {
      await reader?.cancel();
      const detail = "Its answer to initialize is too large.";
      return err({ reason: "server_failed", serverStatus: response.status, detail });
    }
    const answer = streams ? answerIn(decoder.decode(bytes)) : null;
    if (answer === null || reader === undefined) continue;
    const first = bytes;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(first),
      async pull(controller) {
        const more = await reader.read();
        if (more.done) controller.close();
        else controller.enqueue(more.value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return ok({ response, answer, body });
  }
  const text = decoder.decode(bytes);
  const value = streams ? answerIn(`${text}\n\n`) : parsed(text);
  return ok({ response, answer: isObject(value) ? value : null, body: bytes });
}

const isRefused = ({ response, answer }: Begun): boolean =>
  (response.status >= 400 && response.status < 500) || isObject(own(answer, "error"));

/** What the router can do for this tenant; null: nothing, or not for this server. */
function offeredBy(services: Services, { caller, server }: ProxyArrived): Offered {
  const { supportedModalities, tools } = services.sessions.hostedFor(
    caller.snapshot,
    everyCapability,
  );
  if (supportedModalities.length === 0 || server.policy.disabled === true) return null;
  return { tools, supportedModalities };
}

export async function proxyInitialize(
  services: Services,
  arrived: ProxyArrived,
  { id, params }: { id: RequestId; params: JsonObject },
): Promise<Response> {
  const { server, caller, text } = arrived;
  const requested = params["protocolVersion"];
  const about = {
    mode: server.sampling,
    revision: typeof requested === "string" ? requested : "",
    offered: offeredBy(services, arrived),
    modalities: server.supportedModalities ? "told" : "untold",
  } as const;
  const send = async (told: Told): Promise<Result<Begun, Refusal>> => {
    const response = await services.upstream({
      server,
      method: "POST",
      headers: arrived.headers,
      authorization: arrived.authorization,
      body: told.text,
      signal: arrived.left,
      timeoutMs,
    });
    return response.ok ? read(response.value) : response;
  };
  const refused = (refusal: Refusal): Promise<Response> =>
    refuse(refusal, { id, requestId: arrived.requestId });

  const knownBare = server.learnt.bareCapabilities === true;
  const bare = tell(text, { ...about, form: "bare" });
  let told = knownBare ? bare : tell(text, { ...about, form: "rich" });
  let begun = await send(told);
  if (begun.ok && told.text !== bare.text && isRefused(begun.value)) {
    const again = await send(bare);
    if (again.ok && !isRefused(again.value)) {
      if (begun.value.body instanceof ReadableStream) await begun.value.body.cancel();
      [told, begun] = [bare, again];
      services.background(
        services.servers.learn(server.tenantId, server.id, { bareCapabilities: true }),
      );
    }
  }
  if (!begun.ok) return refused(begun.error);
  const { response, answer, body } = begun.value;
  const upstreamId = response.headers.get("Mcp-Session-Id");
  const result = own(answer, "result");
  if (upstreamId !== null && isObject(result)) {
    const revision = own(result, "protocolVersion");
    const { capabilities, clientInfo } = params;
    const stored = await services.sessions.beginWith(server, caller.snapshot.key.id, {
      revision: typeof revision === "string" ? revision : about.revision,
      capabilities: isObject(capabilities) ? capabilities : {},
      clientInfo: isObject(clientInfo) ? clientInfo : {},
      upstreamId,
      told: told.capabilities,
    });
    if (!stored.ok) {
      if (body instanceof ReadableStream) await body.cancel();
      return refused(stored.error);
    }
  }
  return new Response(body, {
    status: response.status,
    headers: returnedHeaders(response.headers),
  });
}
