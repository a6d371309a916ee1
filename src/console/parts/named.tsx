/** What has an id, by the name that people gave it. */
import { api, asked } from "../api.ts";
import { useLoaded } from "../load.ts";

export type Names = Readonly<Record<string, string>>;

/** By name where the name is known. */
export const Named = ({ id, names }: { id: string; names: Names }) =>
  names[id] === undefined ? <code>{id}</code> : <span title={id}>{names[id]}</span>;

/**
 * @returns what people call those that limits are of, by subject: the newest keys, servers and people of a tenant; none
 * while they load, or where a list may not be read
 */
export function useSubjectNames(tenant: string): Names {
  const params = { path: { tenant }, query: { limit: 200 } };
  const { loaded } = useLoaded(`names of subjects of ${tenant}`, async () => {
    const [keys, servers, users] = await Promise.all([
      asked(api.GET("/admin/v1/tenants/{tenant}/keys", { params })),
      asked(api.GET("/admin/v1/tenants/{tenant}/servers", { params })),
      asked(api.GET("/admin/v1/tenants/{tenant}/users", { params })),
    ]);
    const value = [
      ...(keys.ok ? keys.value.data.map(({ id, name }) => [id, name]) : []),
      ...(servers.ok ? servers.value.data.map(({ id, slug }) => [id, slug]) : []),
      ...(users.ok ? users.value.data.map(({ id, name }) => [`user:${id}`, name ?? id]) : []),
    ];
    return { ok: true, value: Object.fromEntries(value) as Names, tag: null };
  });
  return loaded.state === "there" ? loaded.value : {};
}
