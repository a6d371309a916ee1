/**
 * A router that test files use one after the other, for files that change nothing but tenants of their own. A
 * file that needs settings, a fresh database or the router's end starts a router of its own.
 */
import { inject } from "vitest";
import type { Router } from "./router.ts";

export type SharedRouter = Pick<Router, "url" | "adminToken" | "demoKey" | "stateDir">;

declare module "vitest" {
  interface ProvidedContext {
    /** where `test/setup/shared-routers.ts` lends routers */
    routerLender: string;
  }
}

const lender = (): string => `${inject("routerLender")}/${process.pid}`;

/** The router of this process, without the tenants of the file before. */
export async function borrowRouter(): Promise<SharedRouter> {
  const lent = await fetch(lender(), { method: "POST" });
  if (!lent.ok) throw new Error(await lent.text());
  return (await lent.json()) as SharedRouter;
}

/** What that router has printed since this file borrowed it. */
export const printedByRouter = async (): Promise<string> => (await fetch(lender())).text();
