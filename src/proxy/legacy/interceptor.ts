/** The client sees neither an intercepted sampling request nor its answer. */
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { memoize } from "../../domain/lazily.ts";
import { modalities } from "../../domain/modality.ts";
import { featuresOf } from "../../domain/sampling/negotiation.ts";
import { samplingMethod } from "../../domain/sampling/rounds.ts";
import { answererOf } from "../../domain/servers/answering.ts";
import type { MessageHeaders } from "../../domain/servers/message-headers.ts";
import type { SamplingMode } from "../../domain/servers/server.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import type { Codec } from "../../mcp/codec.ts";
import { codecFor } from "../../mcp/era.ts";
import { isId, parsedId, parsedMessages, type RequestId } from "../../mcp/json-text/exact-ids.ts";
import { mayNeedRouter, startsResponse } from "../../mcp/json-text/message-head.ts";
import { withoutElements } from "../../mcp/json-text/raw-json.ts";
import { messageIn } from "../../mcp/message.ts";
import type { Exchange } from "../exchange.ts";
import { advertisedByRevision } from "./advertise.ts";
import {
  createAnswering,
  type Answering,
  type AnsweringDeps,
  type AskingStream,
  type Negotiated,
} from "./answer-sampling.ts";

/** The revision of a client that names none (2025-06-18, "Protocol Version Header"). */
const unnamedRevision = "2025-03-26";

const elicitationMethod = "elicitation/create";

export type Verdict =
  | { kind: "pass" }
  | { kind: "intercept"; id: RequestId; params: JsonObject }
  | { kind: "cancel"; serverRequestId: RequestId }
  /** The router refuses this request because no client can be asked. */
  | { kind: "decline"; id: RequestId; method: string }
  /** A sampling request that can't be answered and that no client may see. */
  | { kind: "drop" };

export interface VerdictRules {
  mode: SamplingMode;
  clientCapabilities: JsonObject;
  decodeCall: Codec["decodeCall"];
  /** false behind a bridge: a client of the other era can't be asked anything… */
  hasClient: boolean;
  /** …except questions, if its call waits for the answers */
  parks: boolean;
}

export function verdictOn(value: JsonValue, rules: VerdictRules): Verdict {
  const message = messageIn(value);
  switch (message.kind) {
    case "response":
      return { kind: "pass" };
    case "unknown":
      // An id such as null can't be answered, but a client might accept it as an id and sample.
      return { kind: own(value, "method") === samplingMethod ? "drop" : "pass" };
    case "notification": {
      const { requestId } = message.params;
      // Anything else, deeply nested for example, could exhaust the stack of code that prints it.
      return message.method === "notifications/cancelled" && isId(requestId)
        ? { kind: "cancel", serverRequestId: requestId }
        : { kind: "pass" };
    }
    case "request": {
      const { id, method, params } = message;
      if (method !== samplingMethod)
        return rules.hasClient || (rules.parks && method === elicitationMethod)
          ? { kind: "pass" }
          : { kind: "decline", id, method };
      const answerer = answererOf(rules.mode, rules.decodeCall(params), rules.clientCapabilities);
      return answerer === "client" ? { kind: "pass" } : { kind: "intercept", id, params };
    }
  }
}

function negotiatedOf(session: Session | null, headers: MessageHeaders): Negotiated {
  const revision = session?.revision ?? headers.get("MCP-Protocol-Version") ?? unnamedRevision;
  const codec = codecFor(revision) ?? codecFor(unnamedRevision);
  if (codec === null) throw new Error("no codec");
  const advertised =
    session === null ? advertisedByRevision(revision) : (session.advertisedCapabilities ?? {});
  const sampling = own(advertised, "sampling");
  return {
    revision,
    codec,
    declared: {
      // No client sees the answer, so every modality counts as declared.
      capabilities: isObject(sampling)
        ? { sampling: { ...sampling, supportedModalities: [...modalities] } }
        : {},
      features: featuresOf(session?.capabilities ?? {}),
    },
  };
}

export type Intercepted =
  | { kind: "pass" }
  | { kind: "intercepted" }
  | { kind: "changed"; text: string };

export interface Interceptor {
  intercept(text: string, eventId: string | null): Promise<Intercepted>;
  /** Refuses a message that is too large to buffer if it names a sampling request and its id. */
  refuseOversized(head: string, limitBytes: number): void;
  /** A cheap check, false only if the message is certainly not for the router. */
  mayNeedRouter(text: string): boolean;
  isRunning(): boolean;
}

const pass: Intercepted = { kind: "pass" };

export function createInterceptor(
  deps: AnsweringDeps,
  exchange: Exchange,
  stream: AskingStream,
): Interceptor {
  const { session } = exchange.caller;
  const hasClient = session === null || session.bridge === null;
  const parks =
    stream.answers !== null && session?.bridge?.to === "legacy" && session.bridge.parks === true;
  // Created on first use: most streams contain nothing for the router.
  const negotiated = memoize(() => negotiatedOf(session, exchange.headers));
  let answering: Answering | null = null;
  const answers = (): Answering =>
    (answering ??= createAnswering(deps, { exchange, stream, negotiated: negotiated() }));

  const isIntercepted = async (value: JsonValue, eventId: string | null): Promise<boolean> => {
    const { codec } = negotiated();
    const verdict = verdictOn(value, {
      mode: exchange.server.sampling,
      clientCapabilities: codec.capabilitiesOf(session?.capabilities ?? {}),
      decodeCall: codec.decodeCall,
      hasClient,
      parks,
    });
    switch (verdict.kind) {
      case "pass":
        return false;
      case "drop":
        return true;
      case "cancel":
        return answers().cancel(verdict.serverRequestId);
      case "decline":
        answers().decline(verdict);
        return true;
      case "intercept":
        await answers().start(verdict, eventId);
        return true;
    }
  };

  return {
    async intercept(text, eventId) {
      const value = parsedMessages(text);
      if (value === undefined) return pass;
      if (!Array.isArray(value))
        return (await isIntercepted(value, eventId)) ? { kind: "intercepted" } : pass;
      const intercepted = new Set<number>();
      for (const [at, element] of value.entries())
        if (await isIntercepted(element, eventId)) intercepted.add(at);
      if (intercepted.size === 0) return pass;
      if (intercepted.size === value.length) return { kind: "intercepted" };
      return { kind: "changed", text: withoutElements(text, intercepted) };
    },
    refuseOversized(head, limitBytes) {
      deps.note({ event: "oversized", requestId: exchange.requestId, limitBytes });
      const idText = /"id"\s*:\s*(-?\d+|"[^"\\]*")/.exec(head)?.[1];
      if (idText === undefined || !head.includes(samplingMethod)) return;
      const id = parsedId(idText);
      if (isId(id)) answers().refuseOversized(id, limitBytes);
    },
    mayNeedRouter: hasClient ? mayNeedRouter : (text) => !startsResponse(text),
    isRunning: () => answering?.isRunning() === true,
  };
}
