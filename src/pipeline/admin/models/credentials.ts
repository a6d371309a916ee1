import type { Actor } from "../../../domain/tenancy/access.ts";
import type { DeclaredModel } from "../../../domain/models/model.ts";
import type { CloudPlace } from "../../../domain/models/cloud-place.ts";
import type {
  CredentialChange,
  CredentialStore,
  OverrideStore,
  Page,
  PageRequest,
  SealedCredential,
  Tenant,
  Vault,
} from "../../../domain/ports/stores.ts";
import type { Providers } from "../../../domain/sampling/providers.ts";
import { providerKeyOf } from "../../../domain/tenancy/sealing.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { ProviderKeys } from "../../provider-keys.ts";
import type { CatalogueReader } from "../../sampling/choice/catalogue.ts";
import { err, mapped, ok } from "../../../domain/result.ts";
import { eventOf, present, tenantFor, type AdminDeps } from "../access/access.ts";
import { checkLeave, mayDeclare } from "./ceilings.ts";
import { checkPlaces, cloudIn, modelsIn, type CloudMembers } from "./cloud-input.ts";
import { createInputCheck } from "./credential-input.ts";
import { createDeclaredModels } from "./declared-models.ts";
import { edit, type IfMatch } from "../access/editing.ts";
import { shown, shownOf, type ShownCredential } from "./shown-credential.ts";
import { checkAndMark, type CredentialCheck } from "./credential-check.ts";

export interface CredentialInput extends CloudMembers {
  provider: string;
  name: string;
  apiKey?: string | undefined;
  baseUrl: string | null;
  models: DeclaredModel[] | null;
}

export interface CredentialPatch extends CloudMembers {
  name?: string | undefined;
  apiKey?: string | undefined;
  baseUrl?: string | null | undefined;
  models?: DeclaredModel[] | null | undefined;
}

/** Reached by a binding, or without network. */
const keyless = new Set(["workers-ai", "demo"]);

const originOf = (baseUrl: string | null): string | null =>
  baseUrl === null ? null : (URL.parse(baseUrl)?.origin ?? null);

const requiredAgain = (place: CloudPlace | null, detail: string) =>
  err({ reason: "invalid_params", path: place === null ? "apiKey" : "auth", detail } as const);

const unknownAddress = err({
  reason: "invalid_params",
  path: "baseUrl",
  detail:
    "The stored key can't be opened, so the baseUrl may have been changed outside of the API: send it with the new key, null for the provider's own.",
} as const);

export function createCredentialAdmin(
  deps: AdminDeps & {
    credentials: CredentialStore;
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

  const resealed = async (credential: SealedCredential, baseUrl: string | null) => {
    const opened = await vault.open(credential.sealed, providerKeyOf(credential));
    return opened.ok
      ? ok(await vault.seal(opened.value, providerKeyOf({ ...credential, baseUrl })))
      : requiredAgain(
          credential.place ?? null,
          "it can't be opened, so it must come with another baseUrl",
        );
  };

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

  const changedBy = async (
    actor: Actor,
    credential: SealedCredential,
    patch: CredentialPatch,
  ): AsyncResult<CredentialChange> => {
    const baseUrl = patch.baseUrl === undefined ? credential.baseUrl : patch.baseUrl;
    const { provider, place: before = null } = credential;
    const read = cloudIn(actor, { provider, ...patch }, before);
    if (!read.ok) return read;
    const { place, secret } = read.value;
    const models = patch.deployments === undefined ? patch.models : modelsIn(patch.deployments);
    const usable = checked({ ...patch, provider, baseUrl }, place);
    if (!usable.ok) return usable;
    const allowed = mayDeclare(actor, provider, models);
    if (!allowed.ok) return allowed;
    const alike = await declared.knowsAlike(models);
    if (!alike.ok) return alike;
    const within = checkPlaces(place, models ?? credential.models);
    if (!within.ok) return within;
    if (models !== undefined) {
      const changed = { ...credential, place, models };
      const serving = await declared.servesSomething(credential.tenantId, changed);
      if (!serving.ok) return serving;
    }
    // Permission to change an address doesn't include reading the key, so the key never moves to another
    // origin.
    if (secret === undefined && originOf(baseUrl) !== originOf(credential.baseUrl))
      return requiredAgain(before, "must come with a baseUrl of another origin");
    if (secret === undefined && JSON.stringify(place) !== JSON.stringify(before))
      return requiredAgain(before, "must come with another endpoint");
    // Rejects a new key if the stored address is not authentic.
    if (secret !== undefined && patch.baseUrl === undefined && patch.endpoint === undefined) {
      const opened = await vault.open(credential.sealed, providerKeyOf(credential));
      if (!opened.ok) return unknownAddress;
    }
    const isMoved = secret === undefined && baseUrl !== credential.baseUrl;
    const moved = isMoved ? await resealed(credential, baseUrl) : ok(credential.sealed);
    if (!moved.ok) return moved;
    return ok({
      baseUrl,
      ...(patch.name === undefined ? {} : { name: patch.name }),
      ...(models === undefined ? {} : { models }),
      ...(secret === undefined
        ? isMoved && { sealed: moved.value }
        : {
            status: "active" as const,
            place,
            sealed: await vault.seal(secret, providerKeyOf({ ...credential, baseUrl, place })),
          }),
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
      const { provider, name, baseUrl, deployments } = input;
      const read = cloudIn(actor, input);
      if (!read.ok) return read;
      const { place, secret } = read.value;
      const usable = checked(input, place);
      if (!usable.ok) return usable;
      const allowed = checkLeave(tenant.value, provider);
      if (!allowed.ok) return allowed;
      const models = deployments === undefined ? input.models : modelsIn(deployments);
      const described = mayDeclare(actor, provider, models);
      if (!described.ok) return described;
      const alike = await declared.knowsAlike(models);
      if (!alike.ok) return alike;
      const within = checkPlaces(place, models);
      if (!within.ok) return within;
      // A custom endpoint may need no key.
      const isNeeded = baseUrl === null && !keyless.has(provider);
      if (secret === undefined || (secret === "" && isNeeded))
        return err({
          reason: "invalid_params",
          path: "apiKey",
          detail: "This provider needs one.",
        });
      const id = deps.ids.next("credential");
      const tenantId = tenant.value.id;
      const at = deps.now();
      const its = { id, tenantId, provider, name, baseUrl, place, models };
      const credential: SealedCredential = {
        ...its,
        status: "active",
        sealed: await vault.seal(secret, providerKeyOf(its)),
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
          detail: { provider, name, baseUrl, ...(place !== null && { ...place }) },
        }),
      );
      return created.ok ? ok(shown(credential)) : created;
    },

    async list(actor: Actor, slug: string, page: PageRequest): AsyncResult<Page<ShownCredential>> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const found = await credentials.list(tenant.value.id, page);
      return found.ok ? ok({ ...found.value, data: found.value.data.map(shownOf) }) : found;
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
