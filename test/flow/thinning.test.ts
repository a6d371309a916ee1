/** A caller that is refused and asks on, over HTTP: each is answered, few are recorded, all are counted. */
import { beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const refusals = 250;
/** Of one minute of the clock; the flood may lie in two. */
const recorded = 100;

describe("a flood of refused requests", () => {
  let router: SharedRouter;
  beforeAll(async () => {
    router = await borrowRouter();
  });

  it("leaves a hundred records a minute, and all of them in the usage", async () => {
    const { key } = await createTenant(router, "flood", {
      provider: "demo",
      keyLimits: { usdPerDay: 1, requestsPerMinute: 1 },
    });
    const session = await openSession(router, key);
    expect((await session.sample(asking("hello"))).get("result")).toBeDefined();
    const ids: string[] = [];
    const flood = async (): Promise<void> => {
      while (ids.length < refusals) {
        ids.push("");
        const at = ids.length - 1;
        const answer = await session.sample(asking("again"));
        expect(answer.get("error.data")).toMatchObject({
          reason: "rate_limited",
          limit: "key.requestsPerMinute",
          retryAfterMs: expect.any(Number) as number,
        });
        ids[at] = String(answer.headers.get("x-request-id"));
      }
    };
    await Promise.all(Array.from({ length: 8 }, flood));
    const admin = adminOf(router, key);
    const listed: string[] = [];
    for (let cursor: unknown = ""; cursor !== null;) {
      const query = `outcome=refused&limit=200${cursor === "" ? "" : `&cursor=${String(cursor)}`}`;
      const page = await admin("GET", `/tenants/flood/requests?${query}`);
      for (const { id, omitted } of page.get("data") as { id: string; omitted: null }[]) {
        expect(omitted).toBeNull();
        listed.push(id);
      }
      cursor = page.get("nextCursor");
    }
    expect(listed.length).toBeGreaterThanOrEqual(recorded);
    expect(listed.length).toBeLessThanOrEqual(2 * recorded);
    const thinned = ids.filter((id) => !listed.includes(id));
    expect(thinned).toHaveLength(refusals - listed.length);
    expect((await admin("GET", `/tenants/flood/requests/${thinned[0]}`)).status).toBe(404);
    const usage = (await admin("GET", "/tenants/flood/usage?by=key")).get("data") as {
      refused: number;
    }[];
    expect(usage.reduce((sum, { refused }) => sum + refused, 0)).toBe(refusals);
  });
});
