/** Records as they happen, told by a tenant's object to whoever listens, in whatever isolate. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { migrations } from "../../src/bundled-migrations.ts";
import { clock } from "../../src/compose/isolate.ts";
import { createTenantObject, type TenantObject } from "../../src/compose/tenant-object.ts";
import type { FeedItem, FeedListener } from "../../src/domain/ports/request-feed.ts";
import { ledgerTexts } from "../../src/store/engines/memory-ledger/texts.ts";
import { listenerOf } from "../../src/store/engines/durable/feed-lines.ts";
import { feedsOfObject } from "../../src/store/engines/durable/open-object.ts";
import { reservation, settlement } from "../contract/store/fixtures.ts";
import { value } from "../contract/store/open.ts";
import { givenTenant, stubOf, type GivenTenant } from "./given-tenant.ts";

const { wait } = clock;
/** The feed looks once a second. */
const aWhile = 3_500;

/** As one isolate has it. */
async function listen({ name }: GivenTenant, tenantId: string): Promise<FeedListener> {
  const feeds = feedsOfObject({ namespace: env.DATABASES, wait }, name);
  if (feeds === null) throw new Error(name);
  return value(await feeds.listen(tenantId, null));
}

const seen = (item: FeedItem | null | "gone") =>
  item === null || item === "gone" || item.kind === "reset"
    ? item
    : [item.kind, item.record.id, item.record.outcome];

it("reaches the listeners of all isolates, and no listener of another tenant", async () => {
  const given = await givenTenant();
  const { who, stores } = given;
  const listeners = [await listen(given, who.tenantId), await listen(given, who.tenantId)];
  const stranger = await listen(given, "ten_other");
  expect(await listeners[0]?.next(1_200)).toBeNull();
  const reserved = reservation(who, Date.now());
  const admission = value(await stores.ledger.admit(reserved));
  if (admission.state !== "admitted") throw new Error(admission.state);
  const { id } = reserved.opening;
  for (const listener of listeners)
    expect(seen(await listener.next(aWhile))).toEqual(["started", id, "admitted"]);
  value(
    await stores.ledger.settle(settlement(reserved, Date.now(), { receipt: admission.receipt })),
  );
  for (const listener of listeners)
    expect(seen(await listener.next(aWhile))).toEqual(["ended", id, "succeeded"]);
  expect(await stranger.next(0)).toBeNull();
  for (const listener of [...listeners, stranger]) listener.leave();
  expect(await stranger.next(aWhile)).toBe("gone");
}, 30_000);

it("reads the database once a second for all listeners, and never without a listener", async () => {
  const given = await givenTenant();
  await runInDurableObject(stubOf(given), async (_, state) => {
    let asked = 0;
    const { sql } = state.storage;
    const counting = {
      exec: (text: string, ...parameters: unknown[]) => {
        if (text.includes("sampling_requests_live")) asked += 1;
        return sql.exec(text, ...parameters);
      },
    };
    const storage = new Proxy(state.storage, {
      get(target, name) {
        if (name === "sql") return counting;
        const found: unknown = Reflect.get(target, name, target);
        return typeof found === "function" ? (found.bind(target) as unknown) : found;
      },
    });
    const object: TenantObject = createTenantObject({
      ctx: { storage, waitUntil: (work) => state.waitUntil(work) },
      texts: ledgerTexts,
      migrations,
      databaseKind: "a tenant",
      limitBytes: 1e9,
    });
    const { tenantId } = given.who;
    const listeners: FeedListener[] = [];
    for (let at = 0; at < 16; at += 1)
      listeners.push(listenerOf(value(await object.follow(tenantId, null)), wait));
    await Promise.all(listeners.map((listener) => listener.next(aWhile)));
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThan(listeners.length);
    for (const listener of listeners) listener.leave();
    await wait(1_200);
    const before = asked;
    await wait(2_200);
    expect(asked).toBe(before);
  });
}, 30_000);
