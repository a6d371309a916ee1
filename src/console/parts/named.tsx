/** What has an id, by the name that people gave it. */
import { api, asked } from "../api.ts";
import { useLoaded } from "../load.ts";

export type Names = Readonly<Record<string, string>>;

/** By name where the name is known. */
export const Named = ({ id, names }: { id: string; names: Names }) =>
  names[id] === undefined ? <code>{id}</code> : <span title={id}>{names[id]}</span>;

/** @returns names of the newest keys of a tenant; none while they load, or where the list may not be read */
export function useKeyNames(tenant: string): Names {
  const { loaded } = useLoaded(`names of keys of ${tenant}`, () =>
    asked(
      api.GET("/admin/v1/tenants/{tenant}/keys", {
        params: { path: { tenant }, query: { limit: 200 } },
      }),
    ),
  );
  if (loaded.state !== "there") return {};
  return Object.fromEntries(loaded.value.data.map(({ id, name }) => [id, name]));
}

/** @returns names of 200 tenants; none while they load */
export function useTenantNames(): Names {
  const { loaded } = useLoaded("names of tenants", () =>
    asked(api.GET("/admin/v1/tenants", { params: { query: { limit: 200 } } })),
  );
  if (loaded.state !== "there") return {};
  return Object.fromEntries(loaded.value.data.map(({ id, name }) => [id, name]));
}
