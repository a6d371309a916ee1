/** Probes a registered server as a client of both eras. */
import { noAnswerReason } from "../domain/network-fault.ts";
import { boundedUrl } from "../domain/bounded-url.ts";
import { createEventReader, streamEnd } from "../domain/event-stream.ts";
import { isObject, own, parsedJson, type JsonObject, type JsonValue } from "../domain/json.ts";
import type { Probed } from "../domain/servers/server-check.ts";
import { hopsHeader, nextHop } from "../domain/servers/hops.ts";
import { routerAgent } from "../domain/servers/proxied-headers.ts";
import { hasHeader } from "../domain/servers/static-headers.ts";
import { problemWithUpstream, type UpstreamRules } from "../domain/servers/upstreams.ts";
import { discoveredIn, discoverMethod, discoverText } from "./translate/discovery.ts";
import { serverInfo } from "./initialize.ts";
import { modernRevision } from "./rev2026/codec.ts";
import { metaKey } from "./meta-key.ts";

const deadlineMs = 10_000;
const maxBytes = 4 * 1024 * 1024;
const maxPages = 20;
const legacyRevision = "2025-11-25";
const json = "application/json";
const eventStream = "text/event-stream";

interface ProbeReply {
  status: number;
  headers: Headers;
  mediaType: string;
  /** the answering message, if any */
  message: JsonValue | undefined;
}

type Ask = (message: JsonObject, headers: Record<string, string>) => Promise<ProbeReply | null>;

interface Wire {
  ask: Ask;
  end: (headers: Record<string, string>) => Promise<void>;
  why: () => string;
  opensStream: () => Promise<boolean>;
}
type Answered = { [Kind in Probed["kind"]]: Extract<Probed, { kind: Kind }> };

const isAnswer = (value: JsonValue | undefined): boolean =>
  own(value, "result") !== undefined || own(value, "error") !== undefined;

const answerIn = (text: string): JsonValue | undefined => {
  const value = parsedJson(text);
  return isAnswer(value) ? value : undefined;
};

/** Stops at the answer, since a server may keep its stream open. */
async function messageOf(
  body: ReadableStream<Uint8Array> | null,
  mediaType: string,
): Promise<JsonValue | undefined> {
  const events = mediaType === eventStream ? createEventReader() : null;
  const answerOf = (piece: string): JsonValue | undefined =>
    events?.(piece)
      .map(({ data }) => answerIn(data))
      .find((answer) => answer !== undefined);
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  try {
    for (;;) {
      const part = await reader?.read();
      if (part === undefined || part.done) break;
      const piece = decoder.decode(part.value, { stream: true });
      length += piece.length;
      if (length > maxBytes) return undefined;
      if (events === null) text += piece;
      const found = answerOf(piece);
      if (found !== undefined) return found;
    }
    // Some servers omit the final empty line.
    return events === null ? answerIn(text) : answerOf(streamEnd);
  } finally {
    await reader?.cancel().catch(() => {});
  }
}

/** Without the query, which may hold a secret. */
function locationIn({ headers }: ProbeReply): string | null {
  const url = boundedUrl(headers.get("Location") ?? "");
  return url === null ? null : `${url.origin}${url.pathname}`;
}

const request = (id: number, method: string, params: JsonObject): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

const nameIn = (info: JsonValue | undefined): string | null => {
  const name = own(info, "name");
  return typeof name === "string" && name !== "" ? name : null;
};

/** Over all pages. `params`: members that the revision requires. */
async function toolsOf(
  ask: Ask,
  headers: Record<string, string>,
  params: JsonObject,
): Promise<Pick<Answered["mcp"], "tools" | "isMore">> {
  let tools: number | null = null;
  let cursor: JsonValue | undefined;
  for (let page = 1; page <= maxPages; page += 1) {
    const asked = { ...params, ...(cursor === undefined ? {} : { cursor }) };
    const reply = await ask(request(page + 1, "tools/list", asked), headers);
    const result = own(reply?.message, "result");
    const listed = own(result, "tools");
    if (!Array.isArray(listed)) return { tools, isMore: cursor !== undefined };
    tools = (tools ?? 0) + listed.length;
    cursor = own(result, "nextCursor");
    if (typeof cursor !== "string") return { tools, isMore: false };
  }
  return { tools, isMore: true };
}

async function modernServer(ask: Ask, status: number, result: JsonObject): Promise<Probed> {
  const meta = {
    [metaKey("protocolVersion")]: modernRevision,
    [metaKey("clientInfo")]: serverInfo,
    [metaKey("clientCapabilities")]: {},
  };
  const headers = { "MCP-Protocol-Version": modernRevision, "Mcp-Method": "tools/list" };
  const counted =
    own(own(result, "capabilities"), "tools") === undefined
      ? { tools: null, isMore: false }
      : await toolsOf(ask, headers, { _meta: meta });
  return {
    kind: "mcp",
    status,
    era: "modern",
    revision: modernRevision,
    name: nameIn(own(own(result, "_meta"), metaKey("serverInfo"))),
    ...counted,
  };
}

async function legacyServer(
  { ask, end }: Wire,
  initialized: ProbeReply,
  result: JsonObject & { protocolVersion: string },
): Promise<Probed> {
  const revision = result.protocolVersion;
  const session = initialized.headers.get("Mcp-Session-Id");
  const headers = {
    "MCP-Protocol-Version": revision,
    ...(session === null ? {} : { "Mcp-Session-Id": session }),
  };
  await ask({ jsonrpc: "2.0", method: "notifications/initialized" }, headers);
  const counted =
    own(own(result, "capabilities"), "tools") === undefined
      ? { tools: null, isMore: false }
      : await toolsOf(ask, headers, {});
  // Some servers keep sessions until they restart.
  if (session !== null) await end(headers);
  return {
    kind: "mcp",
    status: initialized.status,
    era: "legacy",
    revision,
    name: nameIn(own(result, "serverInfo")),
    ...counted,
  };
}

const initialize = request(1, "initialize", {
  protocolVersion: legacyRevision,
  capabilities: {},
  clientInfo: { ...serverInfo },
});

async function probe(wire: Wire): Promise<Probed> {
  const { ask } = wire;
  const discovered = await ask(JSON.parse(discoverText) as JsonObject, {
    "MCP-Protocol-Version": modernRevision,
    "Mcp-Method": discoverMethod,
  });
  if (discovered === null) return { kind: "silent", why: wire.why() };
  const discovery = discoveredIn(discovered.status, discovered.message);
  const { status, mediaType } = discovered;
  if (discovery.era === "modern")
    return discovery.result === null
      ? { kind: "undiscovered", status, newer: discovery.newer }
      : modernServer(ask, status, discovery.result);
  if (status === 401 || status === 403) return { kind: "other", status, mediaType, location: null };
  const initialized = await ask(initialize, {});
  if (initialized === null) return { kind: "silent", why: wire.why() };
  const result = own(initialized.message, "result");
  const revision = own(result, "protocolVersion");
  if (initialized.status < 300 && isObject(result) && typeof revision === "string")
    return legacyServer(wire, initialized, { ...result, protocolVersion: revision });
  if ((initialized.status === 404 || initialized.status === 405) && (await wire.opensStream()))
    return { kind: "sse", status: initialized.status };
  const code = own(own(initialized.message, "error"), "code");
  if (typeof code === "number" && initialized.status < 500 && initialized.status !== 401)
    return { kind: "rpc_error", status: initialized.status, code };
  return {
    kind: "other",
    status: initialized.status,
    mediaType: initialized.mediaType,
    location: locationIn(initialized),
  };
}

const mediaTypeOf = (headers: Headers): string =>
  headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase() ?? "";

/** Never throws. */
export const createProbe =
  (deps: { fetch: typeof fetch } & UpstreamRules) =>
  async (url: string, ownHeaders: Record<string, string>): Promise<Probed> => {
    const problem = problemWithUpstream(url, deps);
    if (problem !== null) return { kind: "unasked", problem };
    const signal = AbortSignal.timeout(deadlineMs);
    let why = "";
    const send = async (
      method: string,
      more: Record<string, string>,
      body?: string,
    ): Promise<Response> =>
      deps.fetch(url, {
        method,
        headers: {
          ...(hasHeader(Object.keys(ownHeaders), "user-agent")
            ? {}
            : { "User-Agent": routerAgent }),
          ...ownHeaders,
          Accept: `${json}, ${eventStream}`,
          [hopsHeader]: nextHop(null) ?? "",
          ...more,
        },
        ...(body === undefined ? {} : { body }),
        // A redirect could leak the headers.
        redirect: "manual",
        signal,
      });
    const reply = async (sent: Promise<Response>): Promise<ProbeReply | null> => {
      try {
        const { status, headers, body } = await sent;
        const mediaType = mediaTypeOf(headers);
        return { status, headers, mediaType, message: await messageOf(body, mediaType) };
      } catch (thrown) {
        why = noAnswerReason(url, thrown);
        return null;
      }
    };
    return probe({
      why: () => why,
      ask: (message, more) =>
        reply(send("POST", { "Content-Type": json, ...more }, JSON.stringify(message))),
      end: async (more) => void (await reply(send("DELETE", more))),
      async opensStream() {
        try {
          const { status, headers, body } = await send("GET", { Accept: eventStream });
          await body?.cancel();
          return status === 200 && mediaTypeOf(headers) === eventStream;
        } catch {
          return false;
        }
      },
    });
  };
