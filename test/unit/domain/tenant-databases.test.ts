/** A tenant's database is found from its ids and tokens alone. */
import { describe, expect, it } from "vitest";
import { createKeyTokens } from "../../../src/crypto/tokens.ts";
import { createIds } from "../../../src/domain/tenancy/ids.ts";
import {
  markedState,
  databaseOf,
  databaseOfState,
} from "../../../src/domain/tenancy/database-names.ts";
import {
  isTenantDatabase,
  jurisdictionOf,
  newTenantDatabase,
} from "../../../src/domain/tenancy/tenant-databases.ts";

const randomBytesOf = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));

describe("the database of one tenant", () => {
  it.each([null, "eu", "us", "fedramp", "fedramp-high"] as const)(
    "is named with its jurisdiction: %s",
    (jurisdiction) => {
      const name = newTenantDatabase(randomBytesOf, jurisdiction);
      expect(isTenantDatabase(name)).toBe(true);
      expect(jurisdictionOf(name)).toBe(jurisdiction);
      expect(newTenantDatabase(randomBytesOf, jurisdiction)).not.toBe(name);
    },
  );

  it("is found from its tenant's ids, tokens and authorizations alone", async () => {
    const name = newTenantDatabase(randomBytesOf, "eu");
    const ids = createIds({ now: () => 1, randomBytesOf, database: name });
    const key = ids.next("key");
    for (const id of [ids.next("tenant"), key, ids.next("session")])
      expect(databaseOf(id)).toBe(name);
    const tokens = createKeyTokens({ randomBytesOf });
    const { token } = await tokens.mint(key);
    expect(tokens.keyIdOf(token)).toBe(key);
    expect(databaseOfState(markedState("n", ids.next("tenant")))).toBe(name);
  });

  it.each(["home", "eu", "tn", "a23456789012", `tx${"0".repeat(20)}`, `tn${"0".repeat(21)}`])(
    "has no name such as %s",
    (name) => {
      expect(isTenantDatabase(name)).toBe(false);
      expect(jurisdictionOf(name)).toBeNull();
    },
  );
});
