/** Sampling for an MCP client: what servers ask of it goes to the router, after its user was asked. */
import { samplingEntriesOf } from "../../domain/sampling/rounds.ts";
import { createAskRouter, type AskOptions, type RouterSettings } from "../ask-router.ts";
import { SamplingError } from "../sampling-error.ts";
import type { SamplingParams, SamplingResult } from "../sampling-shapes.ts";

export { SamplingError } from "../sampling-error.ts";
export type * from "../sampling-shapes.ts";

/** What the user says to a request: yes, no, or yes to changed params. */
export type UsersWord = boolean | SamplingParams;

export interface RoutedSamplingOptions extends RouterSettings {
  /** Shows the request to the user before it is sent. Absent: every request is sent. */
  askUser?: (params: SamplingParams, options: { signal?: AbortSignal }) => Promise<UsersWord>;
  /** ms for one request, without the user's time; absent: 60,000 */
  timeoutMs?: number;
}

export interface RoutedSampling {
  /** what a client declares that handles sampling so */
  capabilities: { sampling: { tools: Record<string, never> } };
  /**
   * For `setRequestHandler` of either SDK.
   * @throws SamplingError; code -1 where the user says no
   */
  handleRequest(
    request: { params: SamplingParams },
    context?: { signal?: AbortSignal; mcpReq?: { signal: AbortSignal } },
  ): Promise<SamplingResult>;
  /**
   * The answers to the sampling in a result of 2026-07-28 that asks for input, by its keys. Other requests in
   * the result are the client's to answer.
   * @throws SamplingError; code -1 where the user says no
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
      // One after the other: the user is asked one question at a time.
      for (const { key, params } of samplingEntriesOf(result))
        answers[key] = await answer(params as unknown as SamplingParams, signal);
      return answers;
    },
  };
}
