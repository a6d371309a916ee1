/** Types of a record's loose members, which refused requests may lack. */
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
