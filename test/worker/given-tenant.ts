/** A tenant in an object of its own, asked by RPC as the Worker asks it. */
import { env } from "cloudflare:workers";
import { createIds } from "../../src/domain/tenancy/ids.ts";
import { newTenantDatabase } from "../../src/domain/tenancy/tenant-databases.ts";
import type { Limits } from "../../src/domain/choice/policy.ts";
import type { Stores } from "../../src/domain/ports/stores.ts";
import type { Database } from "../../src/store/db.ts";
import { openObject } from "../../src/store/engines/durable/open-object.ts";
import { anotherKey, event, tenant, type Caller } from "../contract/store/fixtures.ts";
import { macOf, storesOn, value } from "../contract/store/open.ts";

const randomBytesOf = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Under the MASTER_KEY of `vitest.config.ts`. */
const mac = await macOf(1);

export interface GivenTenant {
  name: string;
  who: Caller;
  stores: Stores;
  /** as another isolate has it */
  again(): { db: Database; stores: Stores };
}

export async function givenTenant(
  limits: Limits = {},
  namespace = env.DATABASES,
): Promise<GivenTenant> {
  const name = newTenantDatabase(randomBytesOf);
  const again = () => {
    const db = openObject({ namespace, wait }, name, {});
    return { db, stores: storesOn(db, () => {}, mac) };
  };
  const { stores } = again();
  const ids = createIds({ now: () => Date.now(), randomBytesOf, database: name });
  const its = tenant({ id: ids.next("tenant"), policy: { limits } });
  value(await stores.tenants.create(its, event(its.id)));
  const keyId = await anotherKey(stores, its.id);
  return {
    name,
    who: { tenantId: its.id, keyId, tenantLimits: limits, keyLimits: {} },
    stores,
    again,
  };
}

export const stubOf = ({ name }: Pick<GivenTenant, "name">) => env.DATABASES.getByName(name);
