/** Types of a record's loose members, which refused requests may lack. */
import { api } from "../api.ts";
import type { Decision } from "../../domain/choice/decision.ts";
import type { Asked as Asking } from "../../domain/audit/record.ts";

export const listRequests = (query: Record<string, string>) =>
  api.GET("/admin/v1/tenants/{tenant}/requests", query);

export const readRequest = (id: string) =>
  api.GET("/admin/v1/tenants/{tenant}/requests/{id}", { id });

type Answered<T> = Extract<Awaited<T>, { ok: true }> extends { value: infer Value } ? Value : never;
export type WholeRecord = Answered<ReturnType<typeof readRequest>>;
export type RequestRecord = Omit<WholeRecord, "content" | "providerMessages" | "names">;

export const decisionOf = (record: RequestRecord): Partial<Decision> | null => record.decision;
export const askedOf = (record: RequestRecord): Partial<Asking> | null => record.asked;
