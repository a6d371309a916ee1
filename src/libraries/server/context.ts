/** Request handler contexts of SDK v1 (`extra`) and v2 (`ctx`), detected by shape to avoid a dependency. */
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

/** A `Server` or `McpServer` of either SDK. */
export type SdkServer = Declares | { server: Declares };
interface Declares {
  getClientCapabilities: () => object | undefined;
}

export const isContext = (value: unknown): value is HandlerContext =>
  typeof value === "object" && value !== null && ("mcpReq" in value || "sendRequest" in value);

/** Whether the request is of 2026-07-28, where clients are asked in the result. */
export const isModern = (context: unknown): context is ContextV2 =>
  typeof context === "object" &&
  context !== null &&
  "mcpReq" in context &&
  typeof envelopeOf(context as ContextV2, "protocolVersion") === "string";

const envelopeOf = ({ mcpReq }: ContextV2, name: string): unknown =>
  own(mcpReq.envelope, `io.modelcontextprotocol/${name}`);

export const signalOf = (context: HandlerContext): AbortSignal =>
  "mcpReq" in context ? context.mcpReq.signal : context.signal;

/** Empty: unknown. */
export function declaredBy(context: HandlerContext, server: SdkServer | undefined): JsonObject {
  const declared = isModern(context)
    ? envelopeOf(context, "clientCapabilities")
    : (server !== undefined && "server" in server
        ? server.server
        : server
      )?.getClientCapabilities();
  return isObject(declared) ? declared : {};
}

/** A schema for SDK v1; answers are checked later. */
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
