/** Each limit has a title that names its scope and unit. */
import { describe, expect, it } from "vitest";
import { limitTitle } from "../../../src/console/limit-titles.ts";

describe("a limit's title", () => {
  it.each([
    ["tenant.usdPerDay", "ten_1", undefined, "USD per day, the whole tenant"],
    ["ceiling.usdPerMonth", "ten_1", "Acme", "USD per month, the operator’s ceiling"],
    ["key.concurrent", "key_1", "search", "Concurrent calls, key search"],
    ["tag.usdPerDay", "tag:mail", undefined, "USD per day, tag mail"],
    ["group.usdPerDay", "group:eng:core", undefined, "USD per day, group eng:core"],
    [
      "user.usdPerMonth",
      "user:usr_01m8afytnk8dm39d2at5x4px4q",
      undefined,
      "USD per month, person …x4px4q",
    ],
    ["user.usdPerMonth", "user:usr_1", "Kim", "USD per month, person Kim"],
    ["run.usdPerRun", undefined, undefined, "usdPerRun, run"],
  ])("of %s says which limit, and whose: %s, %s", (limit, subject, name, title) => {
    expect(limitTitle(limit, subject, name)).toBe(title);
  });
});
