import type { Actor } from "../../domain/access.ts";
import type { Answer, Page, PageRequest } from "../../domain/ports.ts";
import type { Seal, SealStore } from "../../domain/seals.ts";
import { tenantFor, type AdminDeps } from "./access.ts";

/** A tenant's chain, as it is signed. */
export const createSealAdmin = (deps: AdminDeps & { seals: SealStore }) => ({
  async list(actor: Actor, slug: string, page: PageRequest): Answer<Page<Seal>> {
    const tenant = await tenantFor(deps, actor, slug);
    return tenant.ok ? deps.seals.list(tenant.value.id, page) : tenant;
  },
});
