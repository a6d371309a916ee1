import type { ReadResult } from "../api.ts";

export type WholeRecord = ReadResult<"/admin/v1/tenants/{tenant}/requests/{id}">;
export type RequestRecord = Omit<WholeRecord, "content" | "providerMessages" | "names">;

/** by a check of a record */
export interface Found {
  tone: "good" | "warn" | "bad";
  title: string;
  says: readonly string[];
}
