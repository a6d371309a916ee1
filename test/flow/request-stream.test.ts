/** Records of a running router as server-sent events. */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

let router: SharedRouter;
const open: AbortController[] = [];
beforeAll(async () => {
  router = await borrowRouter();
});
afterEach(() => {
  for (const each of open.splice(0)) each.abort();
});

interface Event {
  event: string;
  id: string | null;
  data: Record<string, unknown>;
}

const eventIn = (block: string): Event | null => {
  const field = (name: string): string | null =>
    new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? null;
  const event = field("event");
  return event === null
    ? null
    : { event, id: field("id"), data: JSON.parse(field("data") ?? "{}") as Event["data"] };
};

/** Reads events one by one; null: the stream has ended. */
async function follow(
  slug: string,
  headers: Record<string, string>,
): Promise<{ status: number; next: () => Promise<Event | null> }> {
  const left = new AbortController();
  open.push(left);
  const url = `${router.url}/admin/v1/tenants/${slug}/requests/stream`;
  const response = await fetch(url, { headers, signal: left.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const next = async (): Promise<Event | null> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end !== -1) {
        const event = eventIn(text.slice(0, end));
        text = text.slice(end + 2);
        if (event !== null) return event;
        continue;
      }
      const read = await reader?.read();
      if (read === undefined || read.done) return null;
      text += read.value;
    }
  };
  return { status: response.status, next };
}

let tenants = 0;
async function tenant() {
  const slug = `stream-${(tenants += 1)}`;
  const made = await createTenant(router, slug, { provider: "demo" });
  const session = await openSession(router, made.key);
  const sample = async (): Promise<string> =>
    (await session.sample(asking("hello"))).headers.get("x-request-id") ?? "";
  return { slug, ...made, sample, headers: { Authorization: `Bearer ${made.key}` } };
}

describe("GET …/requests/stream", () => {
  it("tells every listener of a record's end, as the list shows it, and none of another tenant's", async () => {
    const [mine, other] = [await tenant(), await tenant()];
    const listeners = [
      await follow(mine.slug, mine.headers),
      await follow(mine.slug, mine.headers),
    ];
    for (const { next } of listeners) expect((await next())?.event).toBe("ready");
    // The first question of the feed is asked by then.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await other.sample();
    const id = await mine.sample();
    const listed = await adminOf(router, mine.key)("GET", `/tenants/${mine.slug}/requests?limit=1`);
    for (const { next } of listeners) {
      let event = await next();
      if (event?.event === "started") event = await next();
      expect([event?.event, event?.data["id"]]).toEqual(["ended", id]);
      expect({ ...event?.data, replays: null }).toEqual((listed.get("data") as unknown[])[0]);
    }
  });

  it("gives what was missed first, after a Last-Event-ID", async () => {
    const { slug, sample, headers } = await tenant();
    const first = await follow(slug, headers);
    const ready = await first.next();
    open.pop()?.abort();
    const ids = [await sample(), await sample()];
    const again = await follow(slug, { ...headers, "Last-Event-ID": ready?.id ?? "" });
    expect((await again.next())?.event).toBe("ready");
    const seen = [await again.next(), await again.next()];
    expect(seen.map((event) => event?.data["id"]).toSorted()).toEqual(ids.toSorted());
  });

  it("ends with a last word some ten seconds after its key was revoked", async () => {
    const { slug, keyId, headers } = await tenant();
    const { next } = await follow(slug, headers);
    await next();
    await adminOf(router, router.adminToken)("DELETE", `/tenants/${slug}/keys/${keyId}`);
    expect(await next()).toEqual({ event: "closed", id: null, data: { reason: "unauthorized" } });
    expect(await next()).toBeNull();
  });

  it("is for who may see the tenant", async () => {
    const [mine, other] = [await tenant(), await tenant()];
    expect((await follow(mine.slug, other.headers)).status).toBe(404);
    expect((await follow(mine.slug, {})).status).toBe(401);
  });
});
