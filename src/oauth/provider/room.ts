/** Bounds entries that anyone can create: the one that expires first is replaced. */
import { issuersOwn } from "../../domain/ports/oauth-entries.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { ProviderDeps } from "./provider.ts";

/** @returns `false` if all are in use beyond `withinMs` */
export async function makeRoom(
  { entriesOf, now }: Pick<ProviderDeps, "entriesOf" | "now">,
  { prefix, max, withinMs }: { prefix: string; max: number; withinMs: number },
): AsyncResult<boolean> {
  const entries = entriesOf(issuersOwn);
  const at = now();
  const known = await entries.count(issuersOwn, { prefix, max }, at);
  if (!known.ok) return known;
  return known.value < max
    ? ok(true)
    : entries.evict(issuersOwn, { prefix, endsBy: at + withinMs }, at);
}
