/** Checks a credential with the cheapest real call. */
import { isKeyRefused, type ProviderFault } from "../../../domain/attempts.ts";
import { proposedModels } from "../../../domain/models/likeness.ts";
import { baseUrls } from "../../../domain/choice/endpoints.ts";
import { hostAt } from "../../../domain/models/hosts.ts";
import { isListed, isListKept } from "../../../domain/models/listings.ts";
import {
  nameOf,
  type Catalogue,
  type DeclaredModel,
  type Listing,
  type Model,
} from "../../../domain/models/model.ts";
import { modelsOf } from "../../../domain/models/tenant-models.ts";
import type { CredentialStore, SealedCredential } from "../../../domain/ports/stores.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { ok } from "../../../domain/result.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import type { SamplingCall } from "../../../domain/sampling/call.ts";
import type { Providers } from "../../../domain/sampling/providers.ts";
import {
  headroomOf,
  reasoningOf,
  type ReasoningRequest,
} from "../../../domain/models/reasoning.ts";
import { keepRead } from "../../sampling/attempts/model-lists.ts";
import type { ProviderKeys } from "../../provider-keys.ts";
import { eventOf, type AdminDeps } from "../access/access.ts";

export interface CredentialCheck {
  ok: boolean;
  model: string | null;
  fault: Pick<ProviderFault, "kind" | "status" | "code" | "network"> | null;
  /** ids from the provider's list, usable as `models` */
  listed: string[] | null;
  proposed: DeclaredModel[];
  /** `provider` for the server that answers, if the credential has another one */
  host: string | null;
}

type Answered = Omit<CredentialCheck, "proposed" | "host"> & { host?: string | null };

/** Tokens: cheap, but enough for models that reason first. */
const checkTokens = 16;
const checkTimeoutMs = 20_000;
const maxShown = 500;
const gateway = "cloudflare-ai-gateway";

const minReasoningOf = (model: Model): ReasoningRequest => ({
  sent: reasoningOf(model).sent,
  metadata: "absent",
  headroom: headroomOf(model, { inputTokens: checkTokens, maxTokens: checkTokens }),
});

const ping: SamplingCall = {
  messages: [{ role: "user", content: [{ type: "text", text: "ping" }] }],
  maxTokens: checkTokens,
  hints: [],
  priorities: {},
  includeContext: "none",
  stopSequences: [],
  tools: [],
  metadata: {},
  outputModalities: ["text"],
};

const shownFault = ({ kind, status, code, network }: ProviderFault): CredentialCheck["fault"] => ({
  kind,
  status,
  ...(code !== undefined && { code }),
  ...(network !== undefined && { network }),
});

/** Providers may have retired the first models. */
const maxProbes = 3;
const notFound = 404;

function probesOf(
  { provider, models }: SealedCredential,
  known: readonly Model[],
  listed: Listing | null,
): Model[] {
  const declared = models?.map(({ id }) => id) ?? [];
  const cheapest = known
    .filter(
      (model) =>
        model.provider === provider &&
        model.status !== "retired" &&
        model.outputModalities.includes("text") &&
        (declared.length === 0 || declared.includes(model.id)),
    )
    .toSorted((a, b) => (a.outputUsdPerMTok ?? 1e9) - (b.outputUsdPerMTok ?? 1e9));
  const offered = cheapest.filter((model) => listed !== null && isListed(model, listed));
  return (offered.length > 0 ? offered : cheapest).slice(0, maxProbes);
}

/** Asks for one word. Success means that the key is accepted, even if a model is missing. */
async function checkCredential(
  {
    providers,
    providerKeys,
    credentials,
    now,
  }: {
    providers: Providers;
    providerKeys: ProviderKeys;
    credentials: CredentialStore;
    now: () => number;
  },
  credential: SealedCredential,
  catalogue: Catalogue,
): Promise<Answered> {
  const { baseUrl } = credential;
  const known = modelsOf(catalogue, [credential], []);
  const opened = await providerKeys.open(credential);
  if (!opened.ok) {
    const [model] = probesOf(credential, known, null);
    const fault = shownFault(opened.error);
    return { ok: false, model: model === undefined ? null : nameOf(model), fault, listed: null };
  }
  const key = opened.value;
  const read = await providers.listModels(key, AbortSignal.timeout(checkTimeoutMs));
  const listed = read?.ids.slice(0, maxShown) ?? null;
  const host = read?.host ?? hostAt(baseUrl);
  let last: Answered = { ok: false, model: null, fault: null, listed, host };
  // A list at a custom address says nothing about the key.
  const offered = baseUrl === null && read !== null ? { at: 0, ids: read.ids } : null;
  await keepRead(credentials, credential, { read, now: now() });
  const probed = read !== null && isListKept(credential) ? { at: 0, ids: read.ids } : offered;
  for (const model of probesOf(credential, known, probed)) {
    const called = await providers.complete({
      credential: key,
      model,
      call: ping,
      maxTokens: checkTokens,
      reasoning: minReasoningOf(model),
      signal: AbortSignal.timeout(checkTimeoutMs),
    });
    const named = nameOf(model);
    if (called.ok) return { ok: true, model: named, fault: null, listed, host };
    last = { ok: false, model: named, fault: shownFault(called.error), listed, host };
    if (called.error.status !== notFound) return last;
  }
  // The key is accepted although no model is: otherwise the provider answers 401 or 403.
  return last.fault !== null && offered !== null ? { ...last, ok: true } : last;
}

/** The state follows the check: a rejected key is failing, an accepted one is active. */
export async function checkAndMark(
  deps: AdminDeps & {
    providers: Providers;
    providerKeys: ProviderKeys;
    credentials: CredentialStore;
  },
  actor: Actor,
  credential: SealedCredential,
  catalogue: Catalogue,
): AsyncResult<CredentialCheck> {
  const answered = await checkCredential(deps, credential, catalogue);
  const { provider, models } = credential;
  const proposed = proposedModels({ provider, models, listed: answered.listed }, catalogue);
  const { host = null } = answered;
  // A gateway serves makers' own APIs too.
  const isKnown = host === provider || (host === gateway && baseUrls.has(provider));
  const check = { ...answered, proposed, host: isKnown ? null : host };
  const { tenantId, id, updatedAt } = credential;
  const { ok: isWorking, fault } = check;
  const isRejected = fault !== null && isKeyRefused({ ...fault, fault: fault.kind });
  const status = isWorking ? "active" : isRejected ? "failing" : credential.status;
  const kept = await deps.credentials.keepCheck(
    { tenantId, id, readAt: updatedAt },
    {
      lastCheck: { at: deps.now(), ok: isWorking, fault },
      status,
      event: eventOf(deps, actor, { action: `credential.${status}`, tenantId, target: id }),
    },
  );
  return kept.ok ? ok(check) : kept;
}
