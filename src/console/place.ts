/**
 * Where the console stands. Its script lies in `<prefix>/console/assets/`, whatever prefix a gateway has put before
 * the router. So the script's own address says where the pages and the API are.
 */
/** What stands before the router's own paths; empty: nothing does. */
export const prefix = new URL("../..", import.meta.url).pathname.slice(0, -1);
/** Where the pages are. */
export const consolePath = `${prefix}/console`;
/** The router's own address, for commands that a person copies. */
export const routerUrl = `${location.origin}${prefix}`;

export const pathOf = (page: string): string => `${consolePath}${page}`;

/** The slug of the tenant whose page this is; null: a page of the operator's. */
export function tenantIn(path: string): string | null {
  const [, slug] = /^\/t\/([^/]+)/.exec(path.slice(consolePath.length)) ?? [];
  return slug === undefined ? null : decodeURIComponent(slug);
}

/** A tenant's page; `page` begins with a slash, or is empty for the overview. */
export const tenantPath = (tenant: string, page = ""): string =>
  pathOf(`/t/${encodeURIComponent(tenant)}${page}`);
