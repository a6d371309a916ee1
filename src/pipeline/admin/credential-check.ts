/** Whether a credential works: the cheapest real call that it can make. */
import type { ProviderFault } from "../../domain/attempts.ts";
import { modelsOf, nameOf, type Catalogue, type Model } from "../../domain/models/model.ts";
import type { CredentialStore, SealedCredential, Vault } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Actor } from "../../domain/tenancy/access.ts";
import { providerKeyOf } from "../../domain/tenancy/sealing.ts";
import type { Providers } from "../../domain/sampling/providers.ts";
import { headroomOf, reasoningOf, type ReasoningRequest } from "../../domain/models/reasoning.ts";
import { eventOf, type AdminDeps } from "./access.ts";

export interface CredentialCheck {
  ok: boolean;
  /** the model that was asked; null: there is no model to ask */
  model: string | null;
  fault: Pick<ProviderFault, "kind" | "status" | "code" | "network"> | null;
  /** ids of the models that the provider lists, to be sent as `models`; null: it gives no list */
  listed: string[] | null;
}

/** Tokens. A check must cost next to nothing, and still be enough for models that think first. */
const checkTokens = 16;
const checkTimeoutMs = 20_000;

/** The least effort of the model, with room for it: without room the model would answer nothing. */
const leastReasoningOf = (model: Model): ReasoningRequest => ({
  sent: reasoningOf(model).sent,
  metadata: "absent",
  headroom: headroomOf(model, { inputTokens: checkTokens, maxTokens: checkTokens }),
});

const shownFault = ({ kind, status, code, network }: ProviderFault): CredentialCheck["fault"] => ({
  kind,
  status,
  ...(code !== undefined && { code }),
  ...(network !== undefined && { network }),
});

/** Asks the cheapest text model of the credential for one word. */
async function checkCredential(
  { providers, vault }: { providers: Providers; vault: Vault },
  credential: SealedCredential,
  catalogue: Catalogue,
): Promise<CredentialCheck> {
  const { provider, baseUrl } = credential;
  const declared = credential.models?.map((model) => model.id) ?? [];
  const [model] = modelsOf(catalogue, [credential], [])
    .filter(
      (known) =>
        known.provider === provider &&
        known.status !== "retired" &&
        known.outputModalities.includes("text") &&
        (declared.length === 0 || declared.includes(known.id)),
    )
    .toSorted((a, b) => (a.outputUsdPerMTok ?? 1e9) - (b.outputUsdPerMTok ?? 1e9));
  const opened = await vault.open(credential.sealed, providerKeyOf(credential));
  const named = model === undefined ? null : nameOf(model);
  if (!opened.ok)
    return {
      ok: false,
      model: named,
      fault: { kind: "unopenable", status: null },
      listed: null,
    };
  const key = { provider, apiKey: opened.value, baseUrl };
  const listing = providers.listModels(key, AbortSignal.timeout(checkTimeoutMs));
  if (model === undefined) return { ok: false, model: null, fault: null, listed: await listing };
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
  return {
    ok: called.ok,
    model: named,
    fault: called.ok ? null : shownFault(called.error),
    listed: await listing,
  };
}

/** Checks a credential. A failing one whose provider takes its key becomes active, as far as it was not changed since. */
export async function checkAndMark(
  deps: AdminDeps & { providers: Providers; vault: Vault; credentials: CredentialStore },
  actor: Actor,
  credential: SealedCredential,
  catalogue: Catalogue,
): AsyncResult<CredentialCheck> {
  const check = await checkCredential(deps, credential, catalogue);
  if (!check.ok || credential.status === "active") return ok(check);
  const { tenantId, id, updatedAt } = credential;
  const reactivated = await deps.credentials.reactivate(
    { tenantId, id, readAt: updatedAt },
    eventOf(deps, actor, { action: "credential.active", tenantId, target: id }),
  );
  return reactivated.ok ? ok(check) : reactivated;
}
