import type { JsonObject } from "../../domain/json.ts";
import type { StreamPart } from "../../domain/sampling/stream-parts.ts";
import type { Finished } from "../../pipeline/sampling/states/states.ts";
import type { StreamRequest } from "./decoded.ts";

export interface EventWriter {
  /** @param about `model`: `provider/id`; `inputTokens`: null if the provider has not reported them yet */
  begin(about: { model: string; inputTokens: number | null }): string;
  part(part: StreamPart): string;
  /** Keeps the connection open once events have been sent. */
  keepAlive(): string;
  /** The last events of a complete answer. */
  end(finished: Finished): string;
  /** The last event of a broken stream. @param body of the same error, had it been sent as a response */
  fail(body: JsonObject): string;
}

export type OpenEvents = (about: {
  requestId: string;
  createdAt: number;
  stream: StreamRequest;
}) => EventWriter;

export const dataEvent = (data: object | string): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

export const namedEvent = (event: { type: string } & JsonObject): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
