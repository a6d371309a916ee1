/** The console's base URL, from its script's address `<prefix>/console/assets/`, whatever prefix a gateway adds. */
/** Prefix of the router's paths, or empty. */
export const prefix = new URL("../..", import.meta.url).pathname.slice(0, -1);
export const consolePath = `${prefix}/console`;
export const routerUrl = `${location.origin}${prefix}`;

export const pathOf = (page: string): string => `${consolePath}${page}`;

export function tenantIn(path: string): string | null {
  const [, slug] = /^\/t\/([^/]+)/.exec(path.slice(consolePath.length)) ?? [];
  return slug === undefined ? null : decodeURIComponent(slug);
}

/** The tenant of the shown page, empty on the operator's pages. */
export const tenantHere = (): string => tenantIn(location.pathname) ?? "";

/** `page` starts with a slash, or is empty for the overview. */
export const tenantPath = (tenant: string, page = ""): string =>
  pathOf(`/t/${encodeURIComponent(tenant)}${page}`);

/** A page of the tenant of the shown page. */
export const ownPath = (page = ""): string => tenantPath(tenantHere(), page);

/** A request, or the list. Keeps the list's filters in the address for the way back. */
export function requestPath(id = ""): string {
  const filters = new URLSearchParams(location.search);
  filters.delete("open");
  const query = filters.size === 0 ? "" : `?${filters.toString()}`;
  return `${ownPath("/requests")}${id === "" ? "" : `/${encodeURIComponent(id)}`}${query}`;
}
