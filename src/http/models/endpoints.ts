/** The endpoints by their paths below `/v1`, and their answers for a host. */
import { inLowerCase, plainAnswer, type PlainAnswer } from "../../domain/ports/client-answer.ts";
import { chatAnswer, messagesAnswer, responsesAnswer } from "./answers.ts";
import { chatEvents } from "./chat-events.ts";
import { decodeChat } from "./chat-request.ts";
import type { BufferedAnswer } from "./errors.ts";
import { messagesEvents } from "./messages-events.ts";
import { decodeMessages } from "./messages-request.ts";
import type { ModelEndpoint } from "./post.ts";
import { responsesEvents } from "./responses-events.ts";
import { decodeResponses } from "./responses-request.ts";
import type { StreamedAnswer } from "./stream.ts";

const chat: ModelEndpoint = {
  name: "chat.completions",
  dialect: "openai",
  decode: decodeChat,
  encode: chatAnswer,
  events: chatEvents,
};
const messages: ModelEndpoint = {
  name: "messages",
  dialect: "anthropic",
  decode: decodeMessages,
  encode: messagesAnswer,
  events: messagesEvents,
};

const responses: ModelEndpoint = {
  name: "responses",
  dialect: "openai",
  decode: decodeResponses,
  encode: responsesAnswer,
  events: responsesEvents,
};

export const modelEndpoints = { "chat/completions": chat, messages, responses };
export type ModelPath = keyof typeof modelEndpoints;

const streamFields = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // A proxy that buffers would hold events back.
  "x-accel-buffering": "no",
};

export function clientAnswer(answer: BufferedAnswer | StreamedAnswer): PlainAnswer {
  const fields = inLowerCase(answer.headers);
  if ("content" in answer)
    return plainAnswer({
      status: 200,
      fields: { ...streamFields, ...fields },
      content: answer.content,
    });
  const { status, body } = answer;
  return plainAnswer({
    status,
    fields: { "content-type": "application/json", ...fields },
    content: typeof body === "string" ? body : JSON.stringify(body),
  });
}
