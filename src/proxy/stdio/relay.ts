/**
 * Relays between a client and a server over stdio: advertises sampling to the server, sends its sampling requests to a router,
 * and passes everything else byte for byte.
 */
import { isDeeperThan, maxLevels, tooDeep } from "../../domain/depth.ts";
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
import { createOpenRounds, statesRevision } from "./open-rounds.ts";
import { errorText, wireErrorOf, type SampleFor } from "./sampler.ts";
import { createStatesInMemory } from "./states.ts";

/** What the router supports is unknown until it is called. */
const advertisedSampling = {
  mode: "router",
  routerCapabilities: { tools: true, supportedModalities: [] },
  modalities: "hidden",
  tasks: "hidden",
} as const;
const cancelled = "notifications/cancelled";

export interface StdioRelay {
  fromClient(line: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | null>;
  /** @returns what the client gets now; the rest follows through `toClient` */
  fromServer(line: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null;
  end(): void;
}

const encoder = new TextEncoder();

export function createStdioRelay(deps: {
  sample: SampleFor;
  sha256Hex: (text: string) => Promise<string>;
  nonce: () => string;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  toServer: (line: Uint8Array<ArrayBuffer>) => void;
  toClient: (line: Uint8Array<ArrayBuffer>) => void;
  /** an unexpected error, which the process survives */
  report: (thrown: unknown) => void;
}): StdioRelay {
  const { sha256Hex, nonce, wait, report } = deps;
  const lineOf = (text: string) => encoder.encode(text.endsWith("\n") ? text : `${text}\n`);
  const toServer = (text: string): void => deps.toServer(lineOf(text));
  const toClient = (text: string): void => deps.toClient(lineOf(text));
  const bounded = createBoundedSample(deps.sample);
  const sample: SampleFor = async (params, options) =>
    isDeeperThan(params, maxLevels) ? err(wireErrorOf(tooDeep)) : bounded(params, options);
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

  const advertised = (text: string, method: string, params: JsonObject): string => {
    if (method === "initialize") {
      const version = own(params, "protocolVersion");
      const revision = typeof version === "string" ? version : "";
      return advertise(text, { ...advertisedSampling, revision, form: "rich" }).text;
    }
    const declared = own(own(params, "_meta"), metaKey("clientCapabilities"));
    return isObject(declared)
      ? withCapabilities(text, editsFor(declared, advertisedSampling))
      : text;
  };

  const changed = async ({ text, message }: Part): Promise<string | null> => {
    if (message.kind === "notification" && message.method === cancelled) {
      const { requestId } = message.params;
      const sent = isId(requestId) ? rounds.cancel(idKey(requestId), text) : undefined;
      return sent === undefined ? text : sent;
    }
    if (message.kind !== "request") return text;
    const { method, params } = message;
    const offered = advertised(text, method, params);
    if (!statesRevision(params) || !roundMethods.includes(method)) return offered;
    const begun = await rounds.begin(offered, method, params);
    if (begun.ok) return begun.value;
    toClient(begun.error);
    return null;
  };

  const isTakenBack = (id: JsonValue | undefined): boolean => isId(id) && asked.cancel(idKey(id));

  /** A result that asks for sampling outside of a round is refused. */
  const isRefused = ({ text }: Part): boolean => {
    if (samplingEntriesOf(own(parsedJson(text), "result")).length === 0) return false;
    toClient(errorText(idTextIn(text), wireErrorOf(unreadableAnswer({ kind: "asks" }))));
    return true;
  };

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
      // 2025-03-26, which has batches, has no rounds, and no `initialize` in a batch.
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
