import type { Actor } from "../../../domain/tenancy/access.ts";
import type { DeclaredModel } from "../../../domain/models/model.ts";
import type {
  CredentialChange,
  CredentialStore,
  Page,
  PageRequest,
  RequestStore,
  SealedCredential,
  Tenant,
  Vault,
} from "../../../domain/ports/stores.ts";
import type { OverrideStore } from "../../../domain/ports/overrides.ts";
import type { Providers } from "../../../domain/sampling/providers.ts";
import { writtenSecret, type HeaderValues } from "../../../domain/tenancy/credential-secret.ts";
import { providerKeyOf } from "../../../domain/tenancy/sealing.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { ProviderKeys } from "../../provider-keys.ts";
import type { CatalogueReader } from "../../sampling/choice/catalogue.ts";
import { err, mapped, ok } from "../../../domain/result.ts";
import { eventOf, present, tenantFor, type AdminDeps } from "../access/access.ts";
import { checkLeave, mayDeclare } from "./ceilings.ts";
import {
  checkPlaces,
  cloudIn,
  modelsIn,
  type CloudMembers,
  type CloudRead,
} from "./cloud-input.ts";
import { createInputCheck } from "./credential-input.ts";
import { createSealing } from "./credential-sealing.ts";
import { createDeclaredModels } from "./declared-models.ts";
import { checkHostIdentity } from "./host-identity-input.ts";
import { edit, type IfMatch } from "../access/editing.ts";
import { lastCallOf, maxRead } from "./last-calls.ts";
import { shown, shownOf, type ShownCredential } from "./shown-credential.ts";
import { checkAndMark, type CredentialCheck } from "./credential-check.ts";

export interface CredentialInput extends CloudMembers {
  provider: string;
  name: string;
  apiKey?: string | undefined;
  baseUrl: string | null;
  models: DeclaredModel[] | null;
  headers?: HeaderValues | null | undefined;
}

export interface CredentialPatch extends CloudMembers {
  name?: string | undefined;
  apiKey?: string | undefined;
  baseUrl?: string | null | undefined;
  models?: DeclaredModel[] | null | undefined;
  /** replaced as a whole; null removes them */
  headers?: HeaderValues | null | undefined;
}

/** Reached by a binding, or without network. */
const keyless = new Set(["workers-ai", "demo"]);

export function createCredentialAdmin(
  deps: AdminDeps & {
    credentials: CredentialStore;
    requests: Pick<RequestStore, "list">;
    overrides: Pick<OverrideStore, "list">;
    vault: Vault;
    providers: Providers;
    providerKeys: ProviderKeys;
    catalogue: CatalogueReader;
    allowPrivateUpstreams: boolean;
    ownOrigins: readonly string[];
  },
) {
  const { credentials, vault } = deps;
  const declared = createDeclaredModels(deps);
  const checked = createInputCheck(deps);
  const sealedAgain = createSealing(vault);

  const find = async (
    actor: Actor,
    slug: string,
    id: string,
  ): AsyncResult<{ tenant: Tenant; tenantId: string; credential: SealedCredential }> => {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const tenantId = tenant.value.id;
    const credential = await present(credentials.get(tenantId, id), `credential ${id}`);
    return credential.ok
      ? ok({ tenant: tenant.value, tenantId, credential: credential.value })
      : credential;
  };

  /** @param before the credential that is changed */
  const readFrom = async (
    actor: Actor,
    written: CredentialPatch & { provider: string; baseUrl: string | null },
    { tenantId, before }: { tenantId: string; before: SealedCredential | null },
  ): AsyncResult<CloudRead & { models: DeclaredModel[] | null | undefined }> => {
    const read = cloudIn(actor, written, before?.place);
    if (!read.ok) return read;
    const { place } = read.value;
    const problem = deps.providerKeys.hostIdentityProblem(tenantId);
    const { baseUrl } = written;
    const permitted = checkHostIdentity(actor, { place, baseUrl, before, problem });
    if (!permitted.ok) return permitted;
    const { deployments } = written;
    const models = deployments === undefined ? written.models : modelsIn(deployments);
    const usable = checked(written, place);
    if (!usable.ok) return usable;
    const allowed = mayDeclare(actor, written.provider, models);
    if (!allowed.ok) return allowed;
    const alike = await declared.knowsAlike(models);
    if (!alike.ok) return alike;
    const within = checkPlaces(place, models ?? before?.models);
    return within.ok ? ok({ ...read.value, models }) : within;
  };

  const changedBy = async (
    actor: Actor,
    credential: SealedCredential,
    patch: CredentialPatch,
  ): AsyncResult<CredentialChange> => {
    const baseUrl = patch.baseUrl === undefined ? credential.baseUrl : patch.baseUrl;
    const { provider } = credential;
    const read = await readFrom(
      actor,
      { ...patch, provider, baseUrl },
      {
        tenantId: credential.tenantId,
        before: credential,
      },
    );
    if (!read.ok) return read;
    const { place, secret, models } = read.value;
    if (models !== undefined) {
      const changed = { ...credential, place, models };
      const serving = await declared.servesSomething(credential.tenantId, changed);
      if (!serving.ok) return serving;
    }
    const sealed = await sealedAgain({ credential, patch, baseUrl, place, secret });
    if (!sealed.ok) return sealed;
    return ok({
      baseUrl,
      ...(patch.name === undefined ? {} : { name: patch.name }),
      ...(models === undefined ? {} : { models }),
      ...sealed.value,
    });
  };

  const change = async (
    actor: Actor,
    credential: SealedCredential,
    { patch, ifVersion }: { patch: CredentialPatch; ifVersion: number },
  ): AsyncResult<ShownCredential> => {
    const { tenantId, id } = credential;
    const values = await changedBy(actor, credential, patch);
    if (!values.ok) return values;
    const updated = await credentials.update(
      tenantId,
      id,
      values.value,
      deps.now(),
      eventOf(deps, actor, {
        action: "credential.update",
        tenantId,
        target: id,
        detail: { changed: Object.keys(patch) },
      }),
      ifVersion,
    );
    if (!updated.ok) return updated;
    const again = await present(credentials.get(tenantId, id), `credential ${id}`);
    return again.ok ? ok(shown(again.value)) : again;
  };

  return {
    async create(actor: Actor, slug: string, input: CredentialInput): AsyncResult<ShownCredential> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const { provider, name, baseUrl } = input;
      const tenantId = tenant.value.id;
      const read = await readFrom(actor, input, { tenantId, before: null });
      if (!read.ok) return read;
      const { place, secret, models = null } = read.value;
      const allowed = checkLeave(tenant.value, provider);
      if (!allowed.ok) return allowed;
      // A custom endpoint may need no key.
      const isNeeded = baseUrl === null && !keyless.has(provider);
      if (!secret && isNeeded)
        return err({
          reason: "invalid_params",
          path: "apiKey",
          detail: "This provider needs one.",
        });
      const id = deps.ids.next("credential");
      const at = deps.now();
      const headers = input.headers ?? {};
      const headerNames = Object.keys(headers);
      const its = { id, tenantId, provider, name, baseUrl, place, models, headerNames };
      const credential: SealedCredential = {
        ...its,
        status: "active",
        sealed: await vault.seal(
          writtenSecret({ secret: secret ?? "", headers }),
          providerKeyOf(its),
        ),
        createdAt: at,
        updatedAt: at,
      };
      const serving = await declared.servesSomething(tenantId, credential);
      if (!serving.ok) return serving;
      const created = await credentials.create(
        credential,
        eventOf(deps, actor, {
          action: "credential.create",
          tenantId,
          target: id,
          detail: {
            provider,
            name,
            baseUrl,
            ...(place !== null && { ...place }),
            ...(headerNames.length > 0 && { headers: headerNames.join(", ") }),
          },
        }),
      );
      return created.ok ? ok(shown(credential)) : created;
    },

    async list(actor: Actor, slug: string, page: PageRequest): AsyncResult<Page<ShownCredential>> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const { id } = tenant.value;
      const newest = { cursor: null, limit: maxRead };
      const [found, calls] = await Promise.all([
        credentials.list(id, page),
        deps.requests.list(id, {}, newest),
      ]);
      if (!found.ok) return found;
      if (!calls.ok) return calls;
      const data = found.value.data.map((credential) => ({
        ...shownOf(credential),
        lastCall: lastCallOf(credential, calls.value.data),
      }));
      return ok({ ...found.value, data });
    },

    get: (actor: Actor, slug: string, id: string): AsyncResult<ShownCredential> =>
      mapped(find(actor, slug, id), (found) => shown(found.credential)),

    update: (
      actor: Actor,
      slug: string,
      { id, ifMatch, patch }: { id: string; ifMatch: IfMatch; patch: CredentialPatch },
    ): AsyncResult<ShownCredential> =>
      edit(ifMatch, {
        async read() {
          const found = await find(actor, slug, id);
          if (!found.ok) return found;
          const { tenant, credential } = found.value;
          return ok({ current: credential, shown: shown(credential), version: tenant.version });
        },
        write: (credential, ifVersion) => change(actor, credential, { patch, ifVersion }),
      }),

    async remove(actor: Actor, slug: string, id: string): AsyncResult<null> {
      const found = await find(actor, slug, id);
      if (!found.ok) return found;
      const { tenantId } = found.value;
      return credentials.remove(
        tenantId,
        id,
        eventOf(deps, actor, { action: "credential.delete", tenantId, target: id }),
      );
    },

    async check(actor: Actor, slug: string, id: string): AsyncResult<CredentialCheck> {
      const [found, catalogue] = await Promise.all([find(actor, slug, id), deps.catalogue()]);
      if (!found.ok) return found;
      if (!catalogue.ok) return catalogue;
      const { tenant, credential } = found.value;
      const allowed = checkLeave(tenant, credential.provider);
      return allowed.ok ? checkAndMark(deps, actor, credential, catalogue.value) : allowed;
    },
  };
}
