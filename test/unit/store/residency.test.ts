/** Where an object is made: what the router asks of Cloudflare's namespace, held against a fake that writes it down. */
import { describe, expect, it } from "vitest";
import { jurisdictionOf, newTenantDatabase } from "../../../src/domain/tenancy/tenant-databases.ts";
import { regions } from "../../../src/domain/tenancy/residency.ts";
import {
  connectTo,
  refusesResidency,
  type Objects,
} from "../../../src/store/engines/durable/open-object.ts";

type Namespace = Objects["namespace"];

/** `jurisdictions: false` is the runtime on one's own machine. */
function fakeNamespace({ jurisdictions = true } = {}) {
  const asked: unknown[][] = [];
  const within = (jurisdiction: string | null): Namespace =>
    ({
      getByName(name: string, options?: object) {
        asked.push(["getByName", jurisdiction, name, options]);
        return {};
      },
      jurisdiction(name: string) {
        if (!jurisdictions) throw new Error("Jurisdiction restrictions are not implemented.");
        return within(name);
      },
    }) as unknown as Namespace;
  return { asked, namespace: within(null) };
}

const randomBytesOf = (count: number) => new Uint8Array(count).fill(7);

describe("an object", () => {
  it.each(["eu", "fedramp"] as const)(
    "in the jurisdiction %s is found by its name alone",
    (jurisdiction) => {
      const { namespace, asked } = fakeNamespace();
      const name = newTenantDatabase(randomBytesOf, jurisdiction);
      expect(jurisdictionOf(name)).toBe(jurisdiction);
      connectTo({ namespace }, name);
      expect(asked).toEqual([["getByName", jurisdiction, name, undefined]]);
    },
  );

  it.each(regions)("is made near %s where that was asked for", (region) => {
    const { namespace, asked } = fakeNamespace();
    const name = newTenantDatabase(randomBytesOf);
    connectTo({ namespace }, name, { region });
    connectTo({ namespace }, name, {});
    expect(asked).toEqual([
      ["getByName", null, name, { locationHint: region }],
      ["getByName", null, name, undefined],
    ]);
  });

  it("may have both", () => {
    const { namespace, asked } = fakeNamespace();
    const name = newTenantDatabase(randomBytesOf, "eu");
    connectTo({ namespace }, name, { region: "weur", jurisdiction: "eu" });
    expect(asked).toEqual([["getByName", "eu", name, { locationHint: "weur" }]]);
  });
});

describe("a place", () => {
  it("is taken where the runtime has jurisdictions", () => {
    const { namespace } = fakeNamespace();
    for (const residency of [{}, { region: "me" }, { jurisdiction: "eu" }] as const)
      expect(refusesResidency({ namespace }, residency)).toBeNull();
  });

  it("is refused by name where it has none, and nothing is refused where nobody asked", () => {
    const { namespace } = fakeNamespace({ jurisdictions: false });
    expect(refusesResidency({ namespace }, {})).toBeNull();
    expect(refusesResidency({ namespace }, { region: "me" })).toMatchObject({
      reason: "invalid_params",
      path: "region",
      detail: expect.stringContaining("one place for all data"),
    });
    expect(refusesResidency({ namespace }, { region: "me", jurisdiction: "eu" })).toMatchObject({
      path: "jurisdiction",
    });
  });
});
