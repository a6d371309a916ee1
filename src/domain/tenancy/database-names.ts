/** Ids of callers end with the name of their database, so that a token alone locates it. */

/** Ids in `home` have no mark. */
export const homeDatabase = "home";

const idPattern = /^[a-z]+_[0-9a-z]{26}([0-9a-z]*)$/;
const schemes = new Set(["libsql:", "https:", "http:"]);

/** Unknown ids are looked up in `home`, which refuses them. */
export function databaseOf(id: string): string {
  const mark = idPattern.exec(id)?.[1] ?? "";
  return mark === "" ? homeDatabase : mark;
}

export const markOf = (database: string): string => (database === homeDatabase ? "" : database);

/** The OAuth `state` comes back alone, so it names its database. */
export const markedState = (nonce: string, tenantId: string): string =>
  `${nonce}.${databaseOf(tenantId)}`;
export const databaseOfState = (state: string): string =>
  state.slice(state.lastIndexOf(".") + 1) || homeDatabase;

export const isDatabaseUrl = (text: string): boolean =>
  schemes.has(URL.parse(text)?.protocol ?? "");
