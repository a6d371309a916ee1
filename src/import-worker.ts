/**
 * The Worker that is deployed in the router's place for one import: it puts rows of a database from before Durable
 * Objects into the object `home`, where ids without a mark lead. It serves nothing else, so nobody calls meanwhile.
 */
import type { DurableObjectNamespace } from "@cloudflare/workers-types";
import { parseConfig, type Bindings } from "./config.ts";
import { sameText } from "./crypto/same-text.ts";
import { homeShard } from "./domain/tenancy/shards.ts";
import { connectTo } from "./store/durable/open-object.ts";
import { createStubEngine } from "./store/durable/stub-engine.ts";
import { importStatements, readImport } from "./store/durable/import-rows.ts";

export { TenantDatabase } from "./worker.ts";

type ImportBindings = Bindings & { DATABASES: DurableObjectNamespace };

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const refusal = (status: number, detail: string): Response => Response.json({ detail }, { status });

async function importInto(namespace: DurableObjectNamespace, request: Request): Promise<Response> {
  const asked = readImport(await request.json().catch(() => null));
  if (asked === null) return refusal(400, "The body is no part of an import.");
  const engine = createStubEngine({ connect: () => connectTo({ namespace }, homeShard), wait });
  // A row that is there already stays, so a part may be sent again.
  const outcome = await engine.write(importStatements(asked), "again");
  // SQLite's message names tables and columns, and no values.
  if (!outcome.ok) return refusal(503, outcome.fault.message);
  return Response.json({ rows: outcome.rows.at(-1)?.values[0]?.[0] ?? null });
}

export default {
  async fetch(request: Request, env: ImportBindings): Promise<Response> {
    const config = parseConfig(env);
    if (!config.ok) return refusal(503, `${config.error.setting} ${config.error.problem}`);
    const token = request.headers.get("Authorization")?.replace("Bearer ", "") ?? "";
    if (!(await sameText(token, config.value.adminToken)))
      return refusal(401, "The operator's token is missing or wrong.");
    if (request.method !== "POST" || new URL(request.url).pathname !== "/import")
      return refusal(404, "This deployment takes an import, and is not the router.");
    const { DATABASES } = env;
    return importInto(DATABASES, request);
  },

  /** The router's cron trigger stays, and has nothing to do here. */
  async scheduled(): Promise<void> {},
};
