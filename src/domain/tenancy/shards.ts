/**
 * The databases of a deployment: `home`, and on Cloudflare one for each tenant. The ids that identify a caller end with the name of
 * their database, so a token alone says which database to ask.
 */

/** The home shard's name in words. Ids of the home shard have no mark. */
export const homeShard = "home";

const idPattern = /^[a-z]+_[0-9a-z]{26}([0-9a-z]*)$/;
const schemes = new Set(["libsql:", "https:", "http:"]);

/** The shard that an id names. What is no id of ours goes to the home shard, which refuses it. */
export function shardOf(id: string): string {
  const mark = idPattern.exec(id)?.[1] ?? "";
  return mark === "" ? homeShard : mark;
}

/** The end of every id of a shard. */
export const markOf = (shard: string): string => (shard === homeShard ? "" : shard);

/** An OAuth `state`. It comes back alone, so it names the shard where its authorization waits. */
export const markedState = (nonce: string, tenantId: string): string =>
  `${nonce}.${shardOf(tenantId)}`;
export const shardOfState = (state: string): string =>
  state.slice(state.lastIndexOf(".") + 1) || homeShard;

export const isDatabaseUrl = (text: string): boolean =>
  schemes.has(URL.parse(text)?.protocol ?? "");
