/**
 * Whether what a new policy names is there, since a switch or a raise of nothing would look as if it held. What the
 * policy named before is not looked for again: whatever is deleted since would block every other change.
 */
import type { Policy } from "../../domain/choice/policy.ts";
import type { NameStore } from "../../domain/ports/names.ts";
import type { ServerStore } from "../../domain/ports/server-stores.ts";
import type { Tenant } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";

export interface NamedDeps {
  names: NameStore;
  servers: Pick<ServerStore, "bySlug">;
}

type Named = Record<string, unknown> | undefined;

const newIn = (named: Named, before: Named): string[] =>
  Object.keys(named ?? {}).filter((name) => !Object.hasOwn(before ?? {}, name));

/** What another tenant has is not there either. */
const missing = (path: string, what: string) =>
  err({ reason: "invalid_params", path, detail: `This tenant has no such ${what}.` } as const);

/** The keys and servers that the policy stops anew. */
export async function checkedSwitches(
  { names, servers }: NamedDeps,
  { stopped }: Policy,
  { id, policy: before }: Pick<Tenant, "id" | "policy">,
): AsyncResult<null> {
  const keys = newIn(stopped?.keys, before.stopped?.keys);
  const known = await names.of(id, keys);
  if (!known.ok) return known;
  const noKey = keys.find((key) => !key.startsWith("key_") || !Object.hasOwn(known.value, key));
  if (noKey !== undefined) return missing(`stopped.keys.${noKey}`, "API key");
  for (const slug of newIn(stopped?.servers, before.stopped?.servers)) {
    const server = await servers.bySlug(id, slug);
    if (!server.ok) return server;
    if (server.value === null) return missing(`stopped.servers.${slug}`, "server");
  }
  return ok(null);
}
