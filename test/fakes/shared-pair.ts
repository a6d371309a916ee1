/**
 * Two routers over the same tenants, for all test files at once: each file has tenants of its own, and changes nothing
 * else. `test/setup/shared-routers.ts` starts them when the first file asks.
 */
import { inject } from "vitest";
import { sharing, type Sharing } from "../setup/shared-settings.ts";
import type { SharedRouter } from "./shared-router.ts";

export interface SharedPair {
  routers: [SharedRouter, SharedRouter];
  /** null: there is no libSQL server */
  sqldUrl: string | null;
}

export async function borrowPair(how: Sharing): Promise<SharedPair> {
  const place = `pair/${sharing.indexOf(how)}`;
  const lent = await fetch(`${inject("routerLender")}/${place}`, { method: "POST" });
  if (!lent.ok) throw new Error(await lent.text());
  return (await lent.json()) as SharedPair;
}
