import { api } from "../api.ts";
import type { Asked } from "../problem.ts";
import type { Model } from "./columns.tsx";

export async function allModels(after = {}): Promise<Asked<Model[]>> {
  const page = await api.GET("/admin/v1/tenants/{tenant}/models", { limit: 1_000, ...after });
  if (!page.ok) return page;
  const { data, nextCursor: cursor } = page.value;
  if (cursor === null) return { ...page, value: data };
  const rest = await allModels({ cursor });
  return rest.ok ? { ...rest, value: [...data, ...rest.value] } : rest;
}
