/** Parameters as OpenAI's reasoning models spell them, where the adapter for compatible endpoints does not. */

/** Source: https://platform.openai.com/docs/api-reference/chat/create#max_completion_tokens */
export function withCompletionTokens(body: Record<string, unknown>): Record<string, unknown> {
  const { max_tokens: tokens, ...rest } = body;
  return tokens === undefined ? rest : { ...rest, max_completion_tokens: tokens };
}
