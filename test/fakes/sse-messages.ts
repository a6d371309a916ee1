/** The messages of an event stream, as they arrive; of a JSON body, the one. */

export interface Message {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: Record<string, unknown>;
}

export async function* messagesOf(response: Response): AsyncGenerator<Message, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data) as Message;
    }
  }
  if (text.startsWith("{")) yield JSON.parse(text) as Message;
  return undefined;
}
