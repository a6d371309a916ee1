import type { Refusal } from "../../domain/refusals.ts";

/** What a client gets of a message from a server of the other era. */
export type TranslatedMessage =
  /** the response to the client's request, JSON text */
  | { kind: "answer"; text: string }
  /** a notification, JSON text */
  | { kind: "notification"; text: string }
  | { kind: "nothing" }
  /** a refusal in place of the response */
  | { kind: "refused"; refusal: Refusal };
