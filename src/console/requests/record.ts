/** What a record's loose members hold. Records of earlier versions lack some of them. */
import { api, asked } from "../api.ts";
import type { Decision } from "../../domain/choice/decision.ts";
import type { Asked as Asking } from "../../domain/audit/record.ts";

export const listRequests = (tenant: string, query: Record<string, string>) =>
  asked(api.GET("/admin/v1/tenants/{tenant}/requests", { params: { path: { tenant }, query } }));

export const readRequest = (tenant: string, id: string) =>
  asked(api.GET("/admin/v1/tenants/{tenant}/requests/{id}", { params: { path: { tenant, id } } }));

type Answered<T> = Extract<Awaited<T>, { ok: true }> extends { value: infer Value } ? Value : never;
export type WholeRecord = Answered<ReturnType<typeof readRequest>>;
export type RequestRecord = Omit<WholeRecord, "content" | "providerMessages" | "names">;

export const decisionOf = (record: RequestRecord): Partial<Decision> | null => record.decision;
export const askedOf = (record: RequestRecord): Partial<Asking> | null => record.asked;

/** The words for each reason why a model can't be chosen. */
export const exclusionWords: Readonly<Record<string, string>> = {
  input_modality: "can’t take a kind of content in the messages",
  output_modality: "can’t produce what was asked for",
  tools: "has no tools",
  context_window: "the messages don’t fit",
  output_limit: "can’t give so many tokens",
  reasoning_room: "has no room to reason",
  not_allowed: "the policy forbids it",
  unknown_price: "no known price, and a budget applies",
  no_credential: "no credential",
  no_operator_leave: "the operator gives no leave",
  credential_failing: "the provider refuses the key",
  circuit_open: "failed lately, and rests",
  retired: "retired by its provider",
  preview: "a preview that nobody asked for",
  image_model: "draws, and no image was asked for",
  stopped: "stopped by a kill switch",
};
