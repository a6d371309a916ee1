/** A `Request`, or a host's cheaper equivalent. */
import type { MessageHeaders } from "../servers/message-headers.ts";

export interface ClientMessage extends Pick<Request, "method" | "signal" | "body" | "arrayBuffer"> {
  readonly headers: MessageHeaders;
}
