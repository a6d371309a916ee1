import { describe, expect, it } from "vitest";
import { createIds } from "../../../src/domain/tenancy/ids.ts";
import { parseShards, shardOf } from "../../../src/domain/tenancy/shards.ts";

const idsOn = (shard?: string) =>
  createIds({
    now: () => 1_800_000_000_000,
    randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
    ...(shard !== undefined && { shard }),
  });

describe("the shard in an id", () => {
  it.each(["tenant", "key", "session"] as const)("is at the end of a %s's", (kind) => {
    expect(shardOf(idsOn("eu1").next(kind))).toBe("eu1");
    expect(idsOn("eu1").next(kind)).toMatch(/^[a-z]+_[0-9a-z]{26}eu1$/);
  });

  it("is absent where it is the home shard, or where nobody is found by the id", () => {
    for (const ids of [idsOn(), idsOn("home")]) {
      expect(ids.next("key")).toMatch(/^key_[0-9a-z]{26}$/);
      expect(shardOf(ids.next("key"))).toBe("home");
    }
    expect(idsOn("eu").next("request")).toMatch(/^req_[0-9a-z]{26}$/);
  });

  it("of what is no id is the home shard, which refuses it", () => {
    for (const text of ["", "key_", "key_short", "nonsense", "key_UPPER", "demo"])
      expect(shardOf(text)).toBe("home");
  });
});

describe("DATABASE_URLS", () => {
  const parse = (urls: string, authTokens = "", homeUrl: string | null = "https://home.test") =>
    parseShards({ urls, authTokens, homeUrl });

  it("names each database, in any order, with its token", () => {
    expect(
      parse("eu=https://eu.test, us=libsql://us.test?x=1\n ap=http://ap.test", "us=t.o=k,eu=a"),
    ).toEqual({
      ok: true,
      value: [
        { name: "eu", url: "https://eu.test", authToken: "a" },
        { name: "us", url: "libsql://us.test?x=1", authToken: "t.o=k" },
        { name: "ap", url: "http://ap.test", authToken: null },
      ],
    });
    expect(parse("")).toEqual({ ok: true, value: [] });
  });

  it.each([
    ["https://eu.test", "entry 1"],
    ["eu=https://eu.test,EU=https://other.test", "entry 2"],
    ["1eu=https://eu.test", "entry 1"],
    ["averylongname=https://eu.test", "entry 1"],
    ["home=https://eu.test", "entry 1"],
    ["eu=https://eu.test,eu=https://other.test", 'names "eu" twice'],
    ["eu=file:secret.db", '"eu" must be'],
    ["eu=", '"eu" must be'],
    ["eu=https://home.test/", "the database of DATABASE_URL"],
    ["eu=https://x.test,us=https://x.test", 'same database as "eu"'],
  ])("%s is a fault that says where and not what", (urls, problem) => {
    const parsed = parse(urls);
    expect(parsed).toMatchObject({
      ok: false,
      error: { setting: "DATABASE_URLS", problem: expect.stringContaining(problem) },
    });
    expect(JSON.stringify(parsed)).not.toMatch(/test|secret/);
  });

  it.each(["nobody=secret", "secret", "eu=a,eu=secret"])(
    "the tokens %s are a fault that shows none",
    (tokens) => {
      const parsed = parse("eu=https://eu.test", tokens);
      expect(parsed).toMatchObject({ ok: false, error: { setting: "DATABASE_AUTH_TOKENS" } });
      expect(JSON.stringify(parsed)).not.toContain("secret");
    },
  );
});
