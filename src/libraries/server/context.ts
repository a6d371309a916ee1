/**
 * What a request handler of an official SDK is given: v1's `extra`, or v2's `ctx`. Told apart by shape, so that
 * neither SDK has to be there.
 */
import { isObject, own, type JsonObject } from "../../domain/json.ts";
import { samplingMethod } from "../../domain/sampling/rounds.ts";
import type { SamplingParams } from "../sampling-shapes.ts";

export interface ContextV1 {
  signal: AbortSignal;
  requestId: string | number;
  sendRequest: (...args: never[]) => Promise<unknown>;
}

export interface ContextV2 {
  mcpReq: {
    id: string | number;
    signal: AbortSignal;
    method: string;
    envelope?: object | undefined;
    inputResponses?: object | undefined;
    requestState: () => unknown;
    requestSampling: (...args: never[]) => Promise<unknown>;
  };
  http?: { authInfo?: object | undefined } | undefined;
}

export type HandlerContext = ContextV1 | ContextV2;

/** A server of either SDK, or an `McpServer` around one: it knows what its client declared. */
export type SdkServer = Declares | { server: Declares };
interface Declares {
  getClientCapabilities: () => object | undefined;
}

export const isContext = (value: unknown): value is HandlerContext =>
  typeof value === "object" && value !== null && ("mcpReq" in value || "sendRequest" in value);

/** The request came in 2026-07-28, so a server asks its client with the result. */
export const isModern = (context: unknown): context is ContextV2 =>
  typeof context === "object" &&
  context !== null &&
  "mcpReq" in context &&
  typeof envelopeOf(context as ContextV2, "protocolVersion") === "string";

const envelopeOf = ({ mcpReq }: ContextV2, name: string): unknown =>
  own(mcpReq.envelope, `io.modelcontextprotocol/${name}`);

export const signalOf = (context: HandlerContext): AbortSignal =>
  "mcpReq" in context ? context.mcpReq.signal : context.signal;

/** What the client declared; empty: unknown, which counts as nothing. */
export function declaredBy(context: HandlerContext, server: SdkServer | undefined): JsonObject {
  const declared = isModern(context)
    ? envelopeOf(context, "clientCapabilities")
    : (server !== undefined && "server" in server
        ? server.server
        : server
      )?.getClientCapabilities();
  return isObject(declared) ? declared : {};
}

/** Any schema of zod's shape is taken by SDK v1; the answer is looked at afterwards. */
const anything = {
  parse: (data: unknown) => data,
  safeParse: (data: unknown) => ({ success: true, data }),
};

interface AskClientOptions {
  signal: AbortSignal;
  timeout?: number;
}

/** Before 2026-07-28: on the request's own stream. */
export async function askClient(
  context: HandlerContext,
  params: SamplingParams,
  options: AskClientOptions,
): Promise<unknown> {
  if ("mcpReq" in context) {
    const send = context.mcpReq.requestSampling as (
      params: SamplingParams,
      options: AskClientOptions & { relatedRequestId: string | number },
    ) => Promise<unknown>;
    return send(params, { ...options, relatedRequestId: context.mcpReq.id });
  }
  const send = context.sendRequest as (
    request: { method: string; params: SamplingParams },
    schema: typeof anything,
    options: AskClientOptions,
  ) => Promise<unknown>;
  return send({ method: samplingMethod, params }, anything, options);
}
