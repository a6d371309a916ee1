/** Where parked calls of a database's tenants are kept: in this process, or each in an object of its own. */
import { jurisdictionOf } from "../../domain/tenancy/tenant-databases.ts";
import type { Parking } from "../../proxy/bridge/parked-calls.ts";
import type { Isolate } from "../isolate.ts";

export function createDatabaseParking(
  { parkedCalls: calls, host, config }: Isolate,
  { name, origin = config.publicUrls[0] }: { name: string; origin?: string },
): Parking {
  if (calls !== null) return { calls };
  const { forwardParked } = host;
  if (forwardParked === undefined || origin === undefined) throw new Error("no parking");
  return {
    forward({ bytes, caller, headers, server }, { owner, gone: signal }) {
      const { slug: tenant } = caller.snapshot.tenant;
      const url = new URL(`/mcp/${tenant}/${server.slug}`, origin);
      const init = { method: "POST", headers: new Headers([...headers]), body: bytes, signal };
      return forwardParked(new Request(url, init), { owner, jurisdiction: jurisdictionOf(name) });
    },
  };
}
