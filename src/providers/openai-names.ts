/**
 * Renames `max_tokens`, which reasoning models reject. Source:
 * https://platform.openai.com/docs/api-reference/chat/create#max_completion_tokens
 */
export function withCompletionTokens(body: Record<string, unknown>): Record<string, unknown> {
  const { max_tokens: tokens, ...rest } = body;
  return tokens === undefined ? rest : { ...rest, max_completion_tokens: tokens };
}
