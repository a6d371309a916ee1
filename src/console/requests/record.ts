/** Types of a record's loose members, which refused requests may lack. */
import type { Asked as Asking } from "../../domain/audit/record.ts";
import type { Decision } from "../../domain/choice/decision.ts";
import { api, type ReadResult } from "../api.ts";

export type WholeRecord = ReadResult<"/admin/v1/tenants/{tenant}/requests/{id}">;
export type RequestRecord = Omit<WholeRecord, "content" | "providerMessages" | "names">;

export const listRequests = (query: Record<string, string>) =>
  api.GET("/admin/v1/tenants/{tenant}/requests", query);

export const decisionOf = (record: RequestRecord): Partial<Decision> | null => record.decision;
export const askedOf = (record: RequestRecord): Partial<Asking> | null => record.asked;

/** by a check of a record */
export interface Found {
  tone: "good" | "warn" | "bad";
  title: string;
  says?: string;
  list: readonly string[];
}
