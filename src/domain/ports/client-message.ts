/** A proxied message as its client sent it. A `Request` is one, and a host may have something that costs less. */
import type { MessageHeaders } from "../servers/message-headers.ts";

export interface ClientMessage extends Pick<Request, "method" | "signal" | "body" | "arrayBuffer"> {
  readonly headers: MessageHeaders;
}
