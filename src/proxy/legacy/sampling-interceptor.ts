/**
 * Intercepts the sampling requests in what a legacy server sends: `verdict.ts` says what becomes of each message,
 * `answer-sampling.ts` answers. The client sees neither an intercepted request nor its answer.
 */
import type { JsonValue } from "../../domain/json.ts";
import { memoize } from "../../domain/lazily.ts";
import { samplingMethod } from "../../domain/sampling/rounds.ts";
import { isId, parsedId, parsedMessages } from "../../mcp/json-text/exact-ids.ts";
import { withoutElements } from "../../mcp/json-text/raw-json.ts";
import type { Exchange } from "../exchange.ts";
import { mayNeedRouter, startsResponse } from "../message-head.ts";
import {
  createAnswering,
  type Answering,
  type AnsweringDeps,
  type AskingStream,
} from "./answer-sampling.ts";
import { negotiatedOf } from "./negotiated.ts";
import { verdictOn, type VerdictRules } from "./verdict.ts";

export type InterceptorDeps = AnsweringDeps;

export type Intercepted =
  /** The client gets the text as it came. */
  | { kind: "pass" }
  /** Nothing of the text is for the client. */
  | { kind: "intercepted" }
  /** A batch of which the client gets the rest. */
  | { kind: "changed"; text: string };

export interface Interceptor {
  /** What becomes of a message, or of a batch of messages. */
  intercept(text: string, eventId: string | null): Promise<Intercepted>;
  /** Refuses a message that was too large to be held, if it names a sampling request and its id. */
  refuseOversized(head: string, limitBytes: number): void;
  /** A cheap look at a message: false only if the router has nothing to do with the message. */
  mayNeedRouter(text: string): boolean;
  /** Whether a sampling request of this stream runs. */
  isRunning(): boolean;
}

const pass: Intercepted = { kind: "pass" };

export function createInterceptor(
  deps: InterceptorDeps,
  exchange: Exchange,
  stream: AskingStream,
): Interceptor {
  const { session } = exchange.caller;
  const hasClient = session === null || session.bridge === null;
  let answering: Answering | null = null;
  // Most streams bring nothing that the router would have to look into.
  const parts = memoize(() => {
    const negotiated = negotiatedOf(session, exchange.headers);
    const rules: VerdictRules = {
      mode: exchange.server.sampling,
      clientCapabilities: negotiated.clientCapabilities,
      decodeCall: negotiated.codec.decodeCall,
      hasClient,
    };
    answering = createAnswering(deps, { exchange, stream, negotiated });
    return { rules, answering };
  });

  const isIntercepted = async (value: JsonValue, eventId: string | null): Promise<boolean> => {
    const { rules, answering: answers } = parts();
    const verdict = verdictOn(value, rules);
    switch (verdict.kind) {
      case "pass":
        return false;
      case "drop":
        return true;
      case "cancel":
        return answers.cancel(verdict.serverRequestId);
      case "decline":
        answers.decline(verdict);
        return true;
      case "intercept":
        await answers.start(verdict, eventId);
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
      if (isId(id)) parts().answering.refuseOversized(id, limitBytes);
    },
    mayNeedRouter: (text) => (hasClient ? mayNeedRouter(text) : !startsResponse(text)),
    isRunning: () => answering?.isRunning() === true,
  };
}
