import { api } from "../api.ts";
import type { Asked } from "../problem.ts";
import type { Model } from "./columns.tsx";

export async function allModels(): Promise<Asked<Model[]>> {
  const models: Model[] = [];
  let cursor: string | null = null;
  do {
    const page: Asked<{ data: Model[]; nextCursor: string | null }> = await api.GET(
      "/admin/v1/tenants/{tenant}/models",
      { limit: 1_000, ...(cursor !== null && { cursor }) },
    );
    if (!page.ok) return page;
    models.push(...page.value.data);
    cursor = page.value.nextCursor;
  } while (cursor !== null);
  return { ok: true, value: models, tag: null };
}
