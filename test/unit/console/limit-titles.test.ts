/** Each limit has a title that names its owner and unit. */
import { describe, expect, it } from "vitest";
import { limitTitle, ownerTitle, scopedTitle } from "../../../src/console/limit-titles.ts";

const names = { ten_1: "Acme", key_1: "search", usr_1: "Kim" };

describe("a limit's title", () => {
  it.each([
    ["tenant.usdPerDay", "ten_1", "Tenant, USD per day"],
    ["ceiling.usdPerMonth", "ten_1", "Operator’s ceiling, USD per month"],
    ["tenant.storageBytes", "ten_1", "Tenant, Storage"],
    ["key.concurrent", "key_1", "search, Concurrent calls"],
    ["tag.usdPerDay", "tag:mail", "tag mail, USD per day"],
    ["group.usdPerDay", "group:eng:core", "group eng:core, USD per day"],
    ["user.usdPerMonth", "user:usr_01m8afytnk8dm39d2at5x4px4q", "person …x4px4q, USD per month"],
    ["user.usdPerMonth", "user:usr_1", "Kim, USD per month"],
    ["user.usdPerDay", "", "Each person, USD per day"],
    ["run.usdPerRun", "run:key_1:one", "run run:key_1:one, USD per run"],
    ["key.future", "key_1", "search, future"],
  ])("of %s says which limit, and whose: %s, %s", (name, subject, title) => {
    expect(`${ownerTitle({ name, subject }, names)}, ${limitTitle(name)}`).toBe(title);
  });

  it.each([
    ["user.usdPerDay", "USD per day, person"],
    ["ceiling.usdPerMonth", "USD per month, operator’s ceiling"],
  ])("without a subject says the kind of its owner: %s", (name, title) => {
    expect(scopedTitle(name)).toBe(title);
  });
});
