/** Which object a parked call's request goes to: the one that keeps the call, in the jurisdiction of the tenant's data. */
import { expect, it } from "vitest";
import { createForwardParked } from "../../../../src/compose/database/forward-parked.ts";

const owner = "0a".repeat(32);
const request = new Request("https://router.test/mcp/acme/wiki", { method: "POST", body: "{}" });

const namespaceIn = (place: string | null): never =>
  ({
    newUniqueId: () => "new",
    idFromString: (id: string) => id,
    jurisdiction: (name: string) => namespaceIn(name),
    get: (id: string) => ({
      fetch: async (sent: Request) => Response.json({ id, place, isSame: sent === request }),
    }),
  }) as never;
const forward = createForwardParked(namespaceIn(null));

it.each([
  { what: "a call begins", to: { owner: null, jurisdiction: null }, id: "new", place: null },
  { what: "a call goes on", to: { owner, jurisdiction: null }, id: owner, place: null },
  {
    what: "a call begins in the EU",
    to: { owner: null, jurisdiction: "eu" },
    id: "new",
    place: "eu",
  },
  { what: "a call goes on in the EU", to: { owner, jurisdiction: "eu" }, id: owner, place: "eu" },
  {
    what: "a Node process kept it",
    to: { owner: "16.1.2", jurisdiction: null },
    id: "new",
    place: null,
  },
] as const)("$what: $id in $place", async ({ to, id, place }) => {
  const answer = await forward(request, to);
  expect(await answer.json()).toEqual({ id, place, isSame: true });
});
