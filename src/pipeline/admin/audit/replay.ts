import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import { modelsOf } from "../../../domain/models/tenant-models.ts";
import type { CredentialStore, PageRequest, RequestStore } from "../../../domain/ports/stores.ts";
import type { OverrideStore } from "../../../domain/ports/overrides.ts";
import { replay, type Replay } from "../../../domain/audit/replay.ts";
import { err, ok } from "../../../domain/result.ts";
import type { CatalogueReader } from "../../sampling/choice/catalogue.ts";
import { present, tenantFor, type AdminDeps } from "../access/access.ts";

const everyCredential: PageRequest = { cursor: null, limit: 1_000 };

export const createReplayAdmin =
  (
    deps: AdminDeps & {
      requests: RequestStore;
      overrides: OverrideStore;
      credentials: CredentialStore;
      catalogue: CatalogueReader;
    },
  ) =>
  async (actor: Actor, slug: string, id: string): AsyncResult<Replay> => {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const tenantId = tenant.value.id;
    const record = await present(deps.requests.get(tenantId, id), `request ${id}`);
    if (!record.ok) return record;
    const [held, changes, catalogue] = await Promise.all([
      deps.credentials.list(tenantId, everyCredential),
      deps.overrides.list(tenantId),
      deps.catalogue(),
    ]);
    if (!held.ok) return held;
    if (!changes.ok) return changes;
    if (!catalogue.ok) return catalogue;
    const again = replay(record.value, {
      models: modelsOf(catalogue.value, held.value.data, changes.value),
      catalogueVersion: catalogue.value.version,
    });
    return again === null
      ? err({ reason: "conflict", detail: "It was refused before a decision was made." })
      : ok(again);
  };
