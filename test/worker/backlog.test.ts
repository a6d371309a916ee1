/** A tenant's object with more to do than one round of its jobs. Nothing waits for the next minute. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { event } from "../contract/store/fixtures.ts";
import { value } from "../contract/store/open.ts";
import { givenTenant, stubOf } from "./given-tenant.ts";

/** ms; well below the minute after which an object wakes again */
const timeout = 30_000;

it("prunes in one alarm what takes more rounds than a slice has", async () => {
  const given = await givenTenant();
  value(await given.stores.events.append(event(given.who.tenantId)));
  const rows = () =>
    runInDurableObject(stubOf(given), (_, { storage }) =>
      storage.sql.exec("select count(*) as n from results").one(),
    );
  await runInDurableObject(stubOf(given), (_, { storage }) => {
    storage.sql.exec(
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 7500)
       insert into results (tenant_id, request_id, part, sealed, expires_at)
       select ?, 'req_' || n, 0, '', 1 from numbers`,
      given.who.tenantId,
    );
  });
  expect(await rows()).toEqual({ n: 7_500 });
  await runDurableObjectAlarm(stubOf(given));
  expect(await rows()).toEqual({ n: 0 });
});

it("wakes again at once where home takes no more of it in one run", async () => {
  const given = await givenTenant();
  const { tenantId } = given.who;
  for (let count = 0; count < 650; count += 1)
    value(await given.stores.events.append(event(tenantId)));
  await runDurableObjectAlarm(stubOf(given));
  const eventsIn = (name: string) =>
    runInDurableObject(env.DATABASES.getByName(name), (_, { storage }) =>
      storage.sql
        .exec("select count(*) as n from admin_events where tenant_id = ?", tenantId)
        .one(),
    );
  const all = await eventsIn(given.name);
  await vi.waitFor(async () => expect(await eventsIn("home")).toEqual(all), { timeout });
});
