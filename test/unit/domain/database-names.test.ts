/** An id names the tenant database that it belongs to. */
import { describe, expect, it } from "vitest";
import { createIds } from "../../../src/domain/tenancy/ids.ts";
import { databaseOf } from "../../../src/domain/tenancy/database-names.ts";

const idsOn = (database?: string) =>
  createIds({
    now: () => 1_800_000_000_000,
    randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
    ...(database !== undefined && { database }),
  });

describe("the database in an id", () => {
  it.each(["tenant", "key", "session"] as const)("is at the end of a %s's", (kind) => {
    expect(databaseOf(idsOn("eu1").next(kind))).toBe("eu1");
    expect(idsOn("eu1").next(kind)).toMatch(/^[a-z]+_[0-9a-z]{26}eu1$/);
  });

  it("is absent where it is `home`, or where nobody is found by the id", () => {
    for (const ids of [idsOn(), idsOn("home")]) {
      expect(ids.next("key")).toMatch(/^key_[0-9a-z]{26}$/);
      expect(databaseOf(ids.next("key"))).toBe("home");
    }
    expect(idsOn("eu").next("request")).toMatch(/^req_[0-9a-z]{26}$/);
  });

  it("of what is no id is `home`, which refuses it", () => {
    for (const text of ["", "key_", "key_short", "nonsense", "key_UPPER", "demo"])
      expect(databaseOf(text)).toBe("home");
  });
});
