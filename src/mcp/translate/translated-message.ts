import type { Refusal } from "../../domain/refusals.ts";

export type TranslatedMessage =
  /** JSON text */
  | { kind: "answer"; text: string }
  /** JSON text */
  | { kind: "notification"; text: string }
  /** an unchanged result that asks for input, JSON text */
  | { kind: "asks"; text: string }
  | { kind: "nothing" }
  | { kind: "refused"; refusal: Refusal };
