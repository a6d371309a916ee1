import type { Actor } from "../../domain/access.ts";
import type { ProviderFault } from "../../domain/attempts.ts";
import {
  credentialsFor,
  modelsOf,
  nameOf,
  type DeclaredModel,
  type Model,
} from "../../domain/models.ts";
import { problemWithKey } from "../../domain/placeholders.ts";
import { problemWithUpstream } from "../../domain/upstreams.ts";
import type {
  Answer,
  Credential,
  CredentialChange,
  CredentialStore,
  OverrideStore,
  Page,
  PageRequest,
  SealedCredential,
  Vault,
} from "../../domain/ports.ts";
import type { Providers } from "../../domain/providers.ts";
import { headroomOf, reasoningOf, type ReasoningRequest } from "../../domain/reasoning.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { CatalogueReader } from "../catalogue.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { eventOf, present, tenantFor, type AdminDeps } from "./access.ts";

export interface CredentialInput {
  provider: string;
  name: string;
  apiKey: string;
  baseUrl: string | null;
  models: DeclaredModel[] | null;
}

export interface CredentialPatch {
  name?: string | undefined;
  apiKey?: string | undefined;
  baseUrl?: string | null | undefined;
  models?: DeclaredModel[] | null | undefined;
}

export interface CredentialCheck {
  ok: boolean;
  /** the model that was asked; null: no model to ask */
  model: string | null;
  fault: Pick<ProviderFault, "kind" | "status"> | null;
  /** the ids that the provider lists, to be sent as `models`; null: it gives no list */
  listed: string[] | null;
}

/** These are reached by a binding, or not at all. */
const keyless = new Set(["workers-ai", "demo"]);

/** A check must cost next to nothing, and still be enough for models that think first. */
const checkTokens = 16;
const checkTimeoutMs = 20_000;

/** The least that the model can do, with room for it: without, it would answer nothing. */
const leastReasoningOf = (model: Model): ReasoningRequest => ({
  sent: reasoningOf(model).sent,
  metadata: "absent",
  headroom: headroomOf(model, { inputTokens: checkTokens, maxTokens: checkTokens }),
});

const shown = ({ sealed: _, ...credential }: SealedCredential): Credential => credential;

/** null: the provider's own */
const originOf = (baseUrl: string | null): string | null =>
  baseUrl === null ? null : (URL.parse(baseUrl)?.origin ?? null);

export function createCredentialAdmin(
  deps: AdminDeps & {
    credentials: CredentialStore;
    overrides: Pick<OverrideStore, "list">;
    vault: Vault;
    providers: Providers;
    catalogue: CatalogueReader;
    allowPrivateUpstreams: boolean;
  },
) {
  const { credentials, vault, providers } = deps;

  const checked = (input: {
    provider: string;
    baseUrl: string | null;
    apiKey?: string | undefined;
  }): Result<null, Refusal> => {
    const wrongKey = problemWithKey(input.apiKey ?? "");
    if (wrongKey !== null)
      return err({ reason: "invalid_params", path: "apiKey", detail: wrongKey });
    const problem =
      (input.baseUrl === null
        ? null
        : problemWithUpstream(input.baseUrl, { allowPrivate: deps.allowPrivateUpstreams })) ??
      providers.problemWith(input);
    return problem === null
      ? ok(null)
      : err({ reason: "invalid_params", path: "baseUrl", detail: problem });
  };

  /** A credential that serves nothing would only be found out by the calls that it can't answer. */
  const servesSomething = async (
    tenantId: string,
    credential: Pick<Credential, "id" | "provider" | "status" | "models" | "baseUrl">,
  ): Answer<null> => {
    if (credential.models !== null && credential.models.length > 0) return ok(null);
    const [catalogue, overrides] = await Promise.all([
      deps.catalogue(),
      deps.overrides.list(tenantId),
    ]);
    if (!catalogue.ok) return catalogue;
    if (!overrides.ok) return overrides;
    const models = modelsOf(catalogue.value, [], overrides.value);
    if (models.some((model) => credentialsFor(model, [credential]).length > 0)) return ok(null);
    const { provider, baseUrl } = credential;
    const place = baseUrl === null ? "its list of models" : `GET ${baseUrl}/models`;
    return err({
      reason: "invalid_params",
      path: "models",
      detail: `The router knows no model that "${provider}" serves. Send models, such as [{"id": "<model>"}]: ${place} names them.`,
    });
  };

  const seal = (key: string, of: { tenantId: string; provider: string; id: string }) =>
    vault.seal(key, { purpose: "credential", ...of });

  const find = async (
    actor: Actor,
    slug: string,
    id: string,
  ): Answer<{ tenantId: string; credential: SealedCredential }> => {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const tenantId = tenant.value.id;
    const credential = await present(credentials.get(tenantId, id), `credential ${id}`);
    return credential.ok ? ok({ tenantId, credential: credential.value }) : credential;
  };

  return {
    async create(actor: Actor, slug: string, input: CredentialInput): Answer<Credential> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const usable = checked(input);
      if (!usable.ok) return usable;
      const { apiKey, ...rest } = input;
      // An endpoint of one's own may need none.
      if (apiKey === "" && input.baseUrl === null && !keyless.has(input.provider))
        return err({
          reason: "invalid_params",
          path: "apiKey",
          detail: "This provider needs one.",
        });
      const id = deps.ids.next("credential");
      const tenantId = tenant.value.id;
      const at = deps.now();
      const credential: SealedCredential = {
        id,
        tenantId,
        ...rest,
        status: "active",
        sealed: await seal(apiKey, { tenantId, provider: input.provider, id }),
        createdAt: at,
        updatedAt: at,
      };
      const serving = await servesSomething(tenantId, credential);
      if (!serving.ok) return serving;
      const created = await credentials.create(
        credential,
        eventOf(deps, actor, {
          action: "credential.create",
          tenantId,
          target: id,
          detail: { provider: input.provider, name: input.name, baseUrl: input.baseUrl },
        }),
      );
      return created.ok ? ok(shown(credential)) : created;
    },

    async list(actor: Actor, slug: string, page: PageRequest): Answer<Page<Credential>> {
      const tenant = await tenantFor(deps, actor, slug);
      return tenant.ok ? credentials.list(tenant.value.id, page) : tenant;
    },

    async update(
      actor: Actor,
      slug: string,
      id: string,
      patch: CredentialPatch,
    ): Answer<Credential> {
      const found = await find(actor, slug, id);
      if (!found.ok) return found;
      const { tenantId, credential } = found.value;
      const baseUrl = patch.baseUrl === undefined ? credential.baseUrl : patch.baseUrl;
      const usable = checked({ provider: credential.provider, baseUrl, apiKey: patch.apiKey });
      if (!usable.ok) return usable;
      if (patch.models !== undefined) {
        const serving = await servesSomething(tenantId, { ...credential, models: patch.models });
        if (!serving.ok) return serving;
      }
      // Whoever may change an address may still not read the key, so it doesn't follow to another host.
      if (patch.apiKey === undefined && originOf(baseUrl) !== originOf(credential.baseUrl))
        return err({
          reason: "invalid_params",
          path: "apiKey",
          detail: "must come with a baseUrl of another origin",
        });
      const change: CredentialChange = {
        baseUrl,
        ...(patch.name === undefined ? {} : { name: patch.name }),
        ...(patch.models === undefined ? {} : { models: patch.models }),
        // A new key deserves a new chance.
        ...(patch.apiKey === undefined
          ? {}
          : {
              status: "active" as const,
              sealed: await seal(patch.apiKey, { tenantId, provider: credential.provider, id }),
            }),
      };
      const updated = await credentials.update(
        tenantId,
        id,
        change,
        deps.now(),
        eventOf(deps, actor, {
          action: "credential.update",
          tenantId,
          target: id,
          detail: { changed: Object.keys(patch) },
        }),
      );
      if (!updated.ok) return updated;
      const again = await present(credentials.get(tenantId, id), `credential ${id}`);
      return again.ok ? ok(shown(again.value)) : again;
    },

    async remove(actor: Actor, slug: string, id: string): Answer<null> {
      const found = await find(actor, slug, id);
      if (!found.ok) return found;
      const { tenantId } = found.value;
      return credentials.remove(
        tenantId,
        id,
        eventOf(deps, actor, { action: "credential.delete", tenantId, target: id }),
      );
    },

    /** The cheapest real call: one word to the cheapest text model that the credential offers. */
    async check(actor: Actor, slug: string, id: string): Answer<CredentialCheck> {
      const [found, catalogue] = await Promise.all([find(actor, slug, id), deps.catalogue()]);
      if (!found.ok) return found;
      if (!catalogue.ok) return catalogue;
      const { tenantId, credential } = found.value;
      const { provider, baseUrl } = credential;
      const declared = credential.models?.map((model) => model.id) ?? [];
      const [model] = modelsOf(catalogue.value, [credential], [])
        .filter(
          (known) =>
            known.provider === provider &&
            known.status !== "retired" &&
            known.outputModalities.includes("text") &&
            (declared.length === 0 || declared.includes(known.id)),
        )
        .toSorted((a, b) => (a.outputUsdPerMTok ?? 1e9) - (b.outputUsdPerMTok ?? 1e9));
      const opened = await vault.open(credential.sealed, {
        purpose: "credential",
        tenantId,
        provider,
        id,
      });
      const named = model === undefined ? null : nameOf(model);
      if (!opened.ok)
        return ok({
          ok: false,
          model: named,
          fault: { kind: "auth", status: null },
          listed: null,
        });
      const key = { provider, apiKey: opened.value, baseUrl };
      const listing = providers.listModels(key, AbortSignal.timeout(checkTimeoutMs));
      if (model === undefined)
        return ok({ ok: false, model: null, fault: null, listed: await listing });
      const called = await providers.complete({
        credential: key,
        model,
        call: {
          messages: [{ role: "user", content: [{ type: "text", text: "ping" }] }],
          maxTokens: checkTokens,
          hints: [],
          priorities: {},
          includeContext: "none",
          stopSequences: [],
          tools: [],
          metadata: {},
          outputModalities: ["text"],
        },
        maxTokens: checkTokens,
        reasoning: leastReasoningOf(model),
        signal: AbortSignal.timeout(checkTimeoutMs),
      });
      const fault = called.ok ? null : { kind: called.error.kind, status: called.error.status };
      return ok({ ok: called.ok, model: named, fault, listed: await listing });
    },
  };
}
