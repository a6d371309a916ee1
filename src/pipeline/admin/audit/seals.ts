import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import type { Page, PageRequest } from "../../../domain/ports/stores.ts";
import { canonicalJson } from "../../../domain/canonical.ts";
import { ok } from "../../../domain/result.ts";
import {
  statementOf,
  type Hashing,
  type SealStore,
  type StoredSeal,
} from "../../../domain/audit/seals.ts";
import { tenantFor, type AdminDeps } from "../access/access.ts";

export type HashedSeal = StoredSeal & {
  hash: string;
};

export const createSealAdmin = (
  deps: AdminDeps & { seals: SealStore; hashing: Pick<Hashing, "of"> },
) => ({
  async list(actor: Actor, slug: string, page: PageRequest): AsyncResult<Page<HashedSeal>> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const found = await deps.seals.list(tenant.value.id, page);
    if (!found.ok) return found;
    const hashed = found.value.data.map(async (seal) => ({
      ...seal,
      hash: await deps.hashing.of(canonicalJson(statementOf(seal))),
    }));
    return ok({ ...found.value, data: await Promise.all(hashed) });
  },
});
