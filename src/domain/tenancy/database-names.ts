/**
 * The databases of a deployment: `home`, and on Cloudflare one for each tenant. The ids that identify a caller end with the name of
 * their database, so a token alone says which database to ask.
 */

/** `home`'s name in words. Ids of `home` have no mark. */
export const homeDatabase = "home";

const idPattern = /^[a-z]+_[0-9a-z]{26}([0-9a-z]*)$/;
const schemes = new Set(["libsql:", "https:", "http:"]);

/** The database that an id names. What is no id of ours goes to `home`, which refuses it. */
export function databaseOf(id: string): string {
  const mark = idPattern.exec(id)?.[1] ?? "";
  return mark === "" ? homeDatabase : mark;
}

/** The end of every id of a database. */
export const markOf = (database: string): string => (database === homeDatabase ? "" : database);

/** An OAuth `state`. It comes back alone, so it names the database where its authorization waits. */
export const markedState = (nonce: string, tenantId: string): string =>
  `${nonce}.${databaseOf(tenantId)}`;
export const databaseOfState = (state: string): string =>
  state.slice(state.lastIndexOf(".") + 1) || homeDatabase;

export const isDatabaseUrl = (text: string): boolean =>
  schemes.has(URL.parse(text)?.protocol ?? "");
