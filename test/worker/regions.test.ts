/**
 * Where the Worker makes a tenant's object. workerd on one's own machine has one place: it takes a location hint and
 * refuses jurisdictions. The second half hands the Worker a namespace that has them, and writes down what it is asked.
 */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import worker from "../../src/worker.ts?regions";

const asked: { jurisdiction: string | null; options: unknown }[] = [];
let hasJurisdictions = false;

const recording = (jurisdiction: string | null) => ({
  idFromName: (name: string) => env.DATABASES.idFromName(name),
  getByName(name: string, options?: { locationHint?: "weur" }) {
    asked.push({ jurisdiction, options });
    return env.DATABASES.getByName(name, options);
  },
  jurisdiction: (name: "eu") =>
    hasJurisdictions ? recording(name) : env.DATABASES.jurisdiction(name),
});
const adminToken = "of-the-tests-of-regions";
const bindings = {
  ...env,
  ADMIN_TOKEN: adminToken,
  DATABASES: recording(null) as unknown as DurableObjectNamespace,
};

async function ask(method: string, path: string, body?: object) {
  const answer = await worker.fetch(
    new Request(`https://router.test/admin/v1/tenants${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${adminToken}`,
        "Content-Type": "application/json",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
    bindings,
  );
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe("a tenant that the Worker makes in the local runtime", () => {
  it.each([
    ["region", { region: "weur" }],
    ["jurisdiction", { jurisdiction: "eu" }],
    ["jurisdiction", { region: "weur", jurisdiction: "us" }],
  ])("is refused with its %s, by name", async (path, place) => {
    expect(await ask("POST", "", { slug: "placed", name: "Placed", ...place })).toMatchObject({
      status: 400,
      body: { path, detail: expect.stringContaining("one place for all data") },
    });
    expect(await ask("GET", "/placed")).toMatchObject({ status: 404 });
  });

  it("has neither where nobody asked", async () => {
    await ask("POST", "", { slug: "anywhere", name: "Anywhere" });
    expect(await ask("GET", "/anywhere")).toMatchObject({
      status: 200,
      body: { region: null, jurisdiction: null },
    });
  });
});

describe("a tenant that the Worker makes where there are jurisdictions", () => {
  it.each([
    { region: "weur" },
    { region: "apac-ne" },
    { jurisdiction: "eu" },
    { jurisdiction: "us", region: "wnam" },
    { jurisdiction: "fedramp-high" },
  ])("is made there, and never looked for elsewhere: %o", async (place) => {
    hasJurisdictions = true;
    const slug = Object.values(place).join("-");
    asked.length = 0;
    expect(await ask("POST", "", { slug, name: "Placed", ...place })).toMatchObject({
      status: 201,
      body: place,
    });
    const { region, jurisdiction } = { region: undefined, jurisdiction: null, ...place };
    const made = asked.find(({ options }) => options !== undefined);
    if (region !== undefined)
      expect(made).toEqual({ jurisdiction, options: { locationHint: region } });
    asked.length = 0;
    expect(await ask("GET", `/${slug}`)).toMatchObject({ status: 200, body: place });
    // The directory is in no jurisdiction.
    const places = new Set(asked.map((each) => each.jurisdiction));
    expect(places).toEqual(new Set([null, jurisdiction]));
  });
});
