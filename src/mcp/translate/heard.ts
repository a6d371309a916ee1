import type { Refusal } from "../../domain/refusals.ts";

/** What a client hears of a message from a server of the other era. */
export type Heard =
  /** the response to its request, JSON text */
  | { kind: "answer"; text: string }
  /** a notification, JSON text */
  | { kind: "notification"; text: string }
  | { kind: "nothing" }
  /** instead of its response */
  | { kind: "refused"; refusal: Refusal };
