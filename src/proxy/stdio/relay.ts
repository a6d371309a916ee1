/**
 * Between a client and a server that speak over stdio: the server is told of sampling, its sampling requests go to a
 * router, and everything else passes byte for byte, also what is no message.
 */
import { isDeeperThan, mostLevels, tooDeep } from "../../domain/depth.ts";
import { isObject, own, parsedJson, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { roundMethods, samplingEntriesOf, samplingMethod } from "../../domain/sampling/rounds.ts";
import { err } from "../../domain/result.ts";
import { editsFor } from "../../domain/servers/offer.ts";
import { isId } from "../../mcp/json-text/exact-ids.ts";
import { roundWire, withCapabilities } from "../../mcp/rev2026/round.ts";
import { withoutElements } from "../../mcp/json-text/raw-json.ts";
import { metaKey } from "../../mcp/meta-key.ts";
import { advertise } from "../legacy/advertise.ts";
import { unreadableAnswer } from "../losses.ts";
import { createRounds } from "../modern/rounds.ts";
import { createAskedRequests } from "./asked.ts";
import { createBoundedSample } from "./bounded.ts";
import { idKey, idTextIn, partsOf, readLine, type Part } from "./line.ts";
import { createOpenRounds, saysRevision } from "./open-rounds.ts";
import { errorText, wireErrorOf, type SampleFor } from "./sampler.ts";
import { createStatesInMemory } from "./states.ts";

/** What a router can do is known once it is asked. A server with tools may ask with them. */
const told = {
  mode: "router",
  routerCapabilities: { tools: true, supportedModalities: [] },
  modalities: "hidden",
} as const;
const cancelled = "notifications/cancelled";

export interface StdioRelay {
  /** @returns what the server gets for a line of the client's */
  fromClient(line: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | null>;
  /** @returns what the client gets for a line of the server's, now; the rest comes later */
  fromServer(line: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null;
  /** Ends every call that runs: nobody waits for it any more. */
  end(): void;
}

const encoder = new TextEncoder();

export function createStdioRelay(deps: {
  sample: SampleFor;
  sha256Hex: (text: string) => Promise<string>;
  /** random */
  nonce: () => string;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** what comes later, each a whole line */
  toServer: (line: Uint8Array<ArrayBuffer>) => void;
  toClient: (line: Uint8Array<ArrayBuffer>) => void;
  /** a fault of the proxy's own, which a request has met and the process outlives */
  report: (thrown: unknown) => void;
}): StdioRelay {
  const { sha256Hex, nonce, wait, report } = deps;
  const lineOf = (text: string) => encoder.encode(text.endsWith("\n") ? text : `${text}\n`);
  const toServer = (text: string): void => deps.toServer(lineOf(text));
  const toClient = (text: string): void => deps.toClient(lineOf(text));
  const bounded = createBoundedSample(deps.sample);
  const sample: SampleFor = async (params, options) =>
    isDeeperThan(params, mostLevels) ? err(wireErrorOf(tooDeep)) : bounded(params, options);
  const asked = createAskedRequests({ sample, toServer, report });
  const states = createStatesInMemory(nonce);
  const beginRounds = createRounds({ wire: roundWire, states, sha256Hex, nonce, wait });
  const rounds = createOpenRounds({
    beginRounds,
    sample,
    owner: nonce(),
    toServer,
    toClient,
    report,
  });

  /** A request as the server gets it: with sampling among the client's capabilities. */
  const advertised = (text: string, method: string, params: JsonObject): string => {
    if (method === "initialize") {
      const version = own(params, "protocolVersion");
      const revision = typeof version === "string" ? version : "";
      return advertise(text, { ...told, revision, form: "rich" }).text;
    }
    const declared = own(own(params, "_meta"), metaKey("clientCapabilities"));
    return isObject(declared) ? withCapabilities(text, editsFor(declared, told)) : text;
  };

  /** null: the message ends here */
  const changed = async ({ text, message }: Part): Promise<string | null> => {
    if (message.kind === "notification" && message.method === cancelled) {
      const { requestId } = message.params;
      const sent = isId(requestId) ? rounds.cancel(idKey(requestId), text) : undefined;
      return sent === undefined ? text : sent;
    }
    if (message.kind !== "request") return text;
    const { method, params } = message;
    const offered = advertised(text, method, params);
    if (!saysRevision(params) || !roundMethods.includes(method)) return offered;
    const begun = await rounds.begin(offered, method, params);
    if (begun.ok) return begun.value;
    toClient(begun.error);
    return null;
  };

  const isTakenBack = (id: JsonValue | undefined): boolean => isId(id) && asked.cancel(idKey(id));

  /** A result asks for sampling beside every round: its request is refused. */
  const isRefused = ({ text }: Part): boolean => {
    if (samplingEntriesOf(own(parsedJson(text), "result")).length === 0) return false;
    toClient(errorText(idTextIn(text), wireErrorOf(unreadableAnswer({ kind: "asks" }))));
    return true;
  };

  /** Whether a message of the server's is the router's to deal with, and not the client's. */
  const isTaken = (part: Part): boolean => {
    const { text, message } = part;
    switch (message.kind) {
      case "request":
        if (message.method !== samplingMethod) return false;
        asked.take(part);
        return true;
      case "notification":
        return message.method === cancelled && isTakenBack(message.params["requestId"]);
      case "response":
        return rounds.take(idKey(message.id), text) || isRefused(part);
      case "unknown":
        return false;
    }
  };

  return {
    async fromClient(line) {
      const read = readLine(line);
      const [part, ...more] = read === null ? [] : partsOf(read);
      // The revision with batches has neither rounds nor an `initialize` in one.
      if (part === undefined || more.length > 0 || Array.isArray(read?.value)) return line;
      const text = await changed(part);
      if (text === null) return null;
      return text === part.text ? line : lineOf(text);
    },
    fromServer(line) {
      const read = readLine(line);
      if (read === null) return line;
      const parts = partsOf(read);
      const taken = new Set(parts.flatMap((part, index) => (isTaken(part) ? [index] : [])));
      if (taken.size === 0) return line;
      return taken.size === parts.length ? null : lineOf(withoutElements(read.text, taken));
    },
    end() {
      asked.end();
      rounds.end();
    },
  };
}
