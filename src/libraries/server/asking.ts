import { isObject, own, type JsonObject } from "../../domain/json.ts";
import { modalities } from "../../domain/modality.ts";
import { missingFrom, requiredFor } from "../../domain/sampling/capabilities.ts";
import { isSamplingAnswer } from "../../domain/sampling/rounds.ts";
import type { AskOptions, AskRouter } from "../ask-router.ts";
import { localError } from "../sampling-error.ts";
import type { SamplingParams, SamplingResult } from "../sampling-shapes.ts";
import { clientError } from "./client-error.ts";
import {
  askClient,
  declaredBy,
  isModern,
  signalOf,
  type HandlerContext,
  type SdkServer,
} from "./context.ts";
import type { Round } from "./rounds.ts";

/** `client-then-router`: the client if its capabilities cover the request. */
export type Mode = "client-then-router" | "router" | "client";

export type CreateMessageOptions = Pick<AskOptions, "signal" | "timeoutMs" | "idempotencyKey">;

const needsOf = ({ tools, toolChoice, metadata }: SamplingParams): JsonObject => {
  const named = own(metadata, "sampling-router/outputModalities");
  return requiredFor({
    tools: (tools?.length ?? 0) > 0 || toolChoice !== undefined,
    outputModalities: modalities.filter((each) =>
      Array.isArray(named) ? named.includes(each) : each === "text",
    ),
  });
};

function checked(answer: unknown): SamplingResult {
  if (isObject(answer) && isSamplingAnswer(answer)) return answer as unknown as SamplingResult;
  throw localError("invalid_answer", "The client's answer is not a sampling result.");
}

export interface Asked {
  context: HandlerContext;
  params: SamplingParams;
  options: CreateMessageOptions;
  /** undefined: outside `rounds` */
  round: Round | undefined;
}

export function createAsking(deps: {
  mode: Mode;
  server: SdkServer | undefined;
  askRouter: AskRouter;
}): (asked: Asked) => Promise<SamplingResult> {
  const { mode, server, askRouter } = deps;
  const asksClient = (context: HandlerContext, params: SamplingParams): boolean =>
    mode === "client" ||
    (mode === "client-then-router" &&
      missingFrom(needsOf(params), declaredBy(context, server)) === null);

  return async ({ context, params, options, round }) => {
    const given = options.signal;
    const requests = signalOf(context);
    const signal = given === undefined ? requests : AbortSignal.any([requests, given]);
    if (round !== undefined)
      return round.take(params, (idempotencyKey) =>
        asksClient(context, params)
          ? null
          : askRouter(params, { idempotencyKey, ...options, signal }),
      );
    // In 2026-07-28, a plain handler can't ask its client.
    if (mode !== "client" && (isModern(context) || !asksClient(context, params)))
      return askRouter(params, { ...options, signal });
    if (isModern(context))
      throw localError(
        "client_out_of_reach",
        "In 2026-07-28 a handler asks its client inside of rounds().",
      );
    const timeout = options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs };
    const answer = await askClient(context, params, { signal, ...timeout }).catch(
      (thrown: unknown) => {
        throw clientError(thrown, signal.aborted);
      },
    );
    return checked(answer);
  };
}
