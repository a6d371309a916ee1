/** Sampling for MCP clients: sends servers' requests to the router, after the user's approval. */
import { samplingEntriesOf } from "../../domain/sampling/rounds.ts";
import { createAskRouter, type AskOptions, type RouterSettings } from "../ask-router.ts";
import { SamplingError } from "../sampling-error.ts";
import type { SamplingParams, SamplingResult } from "../sampling-shapes.ts";

export { SamplingError } from "../sampling-error.ts";
export type * from "../sampling-shapes.ts";

/** Approved, rejected, or approved with changed params. */
export type UsersWord = boolean | SamplingParams;

export interface RoutedSamplingOptions extends RouterSettings {
  /** Asks the user before the request is sent. Absent: no approval. */
  askUser?: (params: SamplingParams, options: { signal?: AbortSignal }) => Promise<UsersWord>;
  /** ms per request, without the user's time; absent: 60,000 */
  timeoutMs?: number;
}

export interface RoutedSampling {
  /** the capabilities to declare */
  capabilities: { sampling: { tools: Record<string, never> } };
  /** For `setRequestHandler` of either SDK. @throws SamplingError; code -1 if the user rejects */
  handleRequest(
    request: { params: SamplingParams },
    context?: { signal?: AbortSignal; mcpReq?: { signal: AbortSignal } },
  ): Promise<SamplingResult>;
  /**
   * Answers the sampling requests of a 2026-07-28 result, by key. The client answers all other requests. @throws
   * SamplingError; code -1 if the user rejects
   */
  fulfil(
    result: object,
    options?: { signal?: AbortSignal },
  ): Promise<Record<string, SamplingResult>>;
}

/** @throws SamplingError without a key */
export function routedSampling({
  askUser = async () => true,
  timeoutMs,
  ...router
}: RoutedSamplingOptions): RoutedSampling {
  const askRouter = createAskRouter(router);

  const answer = async (
    params: SamplingParams,
    signal: AbortSignal | undefined,
  ): Promise<SamplingResult> => {
    const word = await askUser(params, signal === undefined ? {} : { signal });
    if (word === false)
      throw new SamplingError("User rejected sampling request", -1, {
        reason: "user_rejected",
        by: "client",
        retryable: false,
      });
    const options: AskOptions = { signal, timeoutMs };
    return askRouter(word === true ? params : word, options);
  };

  return {
    capabilities: { sampling: { tools: {} } },
    handleRequest: ({ params }, context) =>
      answer(params, context?.mcpReq?.signal ?? context?.signal),
    async fulfil(result, { signal } = {}) {
      const answers: Record<string, SamplingResult> = {};
      // Sequential, so that the user gets one question at a time.
      for (const { key, params } of samplingEntriesOf(result))
        answers[key] = await answer(params as unknown as SamplingParams, signal);
      return answers;
    },
  };
}
