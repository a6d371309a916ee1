/**
 * Shards: one database each, for the tenants that live there. The home shard is `DATABASE_URL` or the
 * host's own; `DATABASE_URLS` names the others. Ids by which a caller is found end with the name of their shard,
 * so that a token alone says which database to ask.
 */
import { err, ok, type Result } from "../result.ts";

/** The home shard's name in words. Ids of the home shard have no mark. */
export const homeShard = "home";

/** A further database, as the settings give it. */
export interface ShardSetting {
  name: string;
  url: string;
  /** null: the database asks for none */
  authToken: string | null;
}

/** A shard's name is a part of ids and tokens, so only these characters may stand in it. */
const namePattern = /^[a-z][a-z0-9]{0,11}$/;
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

interface SettingFault {
  setting: "DATABASE_URLS" | "DATABASE_AUTH_TOKENS";
  /** what is wrong; holds names and positions, and never a value */
  problem: string;
}

/** Reads `a=…,b=…` by name. A comma or white space ends a value. */
function namedValues(
  setting: SettingFault["setting"],
  text: string,
): Result<Map<string, string>, SettingFault> {
  const found = new Map<string, string>();
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  for (const [at, entry] of entries.entries()) {
    const end = entry.indexOf("=");
    const name = entry.slice(0, Math.max(0, end));
    const fault = (problem: string) => err({ setting, problem });
    if (!namePattern.test(name) || name === homeShard)
      return fault(
        `entry ${at + 1} must be name=value, its name 1 to 12 lower-case letters and digits, ` +
          `a letter first, and not "${homeShard}"`,
      );
    if (found.has(name)) return fault(`names "${name}" twice`);
    found.set(name, entry.slice(end + 1));
  }
  return ok(found);
}

/** Two names for one database would count its limits together and list its tenants twice. */
const sameDatabase = (a: string, b: string): boolean => {
  const [one, other] = [URL.parse(a), URL.parse(b)];
  return one?.host === other?.host && one?.pathname === other?.pathname;
};

/** `homeUrl`: null where the home shard is the host's own. */
export function parseShards(given: {
  urls: string;
  authTokens: string;
  homeUrl: string | null;
}): Result<ShardSetting[], SettingFault> {
  const setting = "DATABASE_URLS";
  const urls = namedValues(setting, given.urls);
  if (!urls.ok) return urls;
  const tokens = namedValues("DATABASE_AUTH_TOKENS", given.authTokens);
  if (!tokens.ok) return tokens;
  for (const name of tokens.value.keys())
    if (!urls.value.has(name))
      return err({
        setting: "DATABASE_AUTH_TOKENS",
        problem: `names "${name}", which DATABASE_URLS does not`,
      });
  const shards: ShardSetting[] = [];
  for (const [name, url] of urls.value) {
    if (!isDatabaseUrl(url))
      return err({ setting, problem: `"${name}" must be a libsql:, https: or http: URL` });
    if (given.homeUrl !== null && sameDatabase(url, given.homeUrl))
      return err({ setting, problem: `"${name}" is the database of DATABASE_URL` });
    const other = shards.find((known) => sameDatabase(known.url, url));
    if (other !== undefined)
      return err({ setting, problem: `"${name}" is the same database as "${other.name}"` });
    shards.push({ name, url, authToken: tokens.value.get(name) ?? null });
  }
  return ok(shards);
}
