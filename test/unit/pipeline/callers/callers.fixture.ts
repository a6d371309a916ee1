/** A caller with a field to choose from, and what its call then reserves. */
import type { Ceiling } from "../../../../src/domain/limits/ceilings.ts";
import type { Limits, Policy, ServerPolicy } from "../../../../src/domain/choice/policy.ts";
import type { Planned } from "../../../../src/pipeline/sampling/choice/choose.ts";
import { askingOf } from "../../../../src/domain/choice/asking.ts";
import {
  decide,
  planShortened,
  planWithoutRoom,
  type Plan,
} from "../../../../src/domain/choice/selection.ts";
import type { SamplingCall } from "../../../../src/domain/sampling/call.ts";
import type { Caller } from "../../../../src/pipeline/callers/authenticate.ts";
import { reservationOf, type Reserved } from "../../../../src/pipeline/sampling/admission/admit.ts";
import { call, credential, field, model } from "../../domain/models.fixture.ts";

export const priced = (name: string, usd: number | null) =>
  model(name, { inputUsdPerMTok: usd, outputUsdPerMTok: usd });

export const callerWith = (
  about: { policy?: Policy; ceiling?: Ceiling; keyLimits?: Limits } = {},
): Caller => ({
  snapshot: {
    tenant: {
      id: "ten_1",
      slug: "tenant",
      name: "Tenant",
      policy: about.policy ?? {},
      ceiling: about.ceiling ?? { limits: {} },
      version: 1,
      createdAt: 0,
      residency: null,
    },
    key: {
      id: "key_1",
      tenantId: "ten_1",
      name: "Key",
      createdBy: "operator",
      scopes: ["sampling"],
      expiresAt: null,
      revokedAt: null,
      limits: about.keyLimits ?? {},
      createdAt: 0,
      secretHash: "",
      givenTo: [],
      code: "code",
    },
    credentials: [],
    overrides: [],
    health: [],
    circuits: [],
  },
  session: null,
  server: null,
  memoryKey: "",
  warm: false,
});

/** Cheapest first, 1,000 tokens of output each. */
export function planOf(
  models: ReturnType<typeof model>[],
  credentials = 1,
  more: Partial<SamplingCall> = {},
): Planned {
  const providers = [...new Set(models.map(({ provider }) => provider))];
  const within = field({
    models,
    credentials: providers.flatMap((provider) =>
      Array.from({ length: credentials }, (_, at) =>
        credential(provider, { id: `cred_${provider}_${at}` }),
      ),
    ),
  });
  const asked = call({ maxTokens: 1_000, priorities: { cost: 1 }, ...more });
  const asking = askingOf(asked, within);
  const plan = decide(asking, within);
  if (!plan.ok) throw new Error(plan.error.reason);
  const withoutReasoningRoom = () => planWithoutRoom(plan.value, asking, within);
  const shortened = (from: Plan, maxTokens: number) =>
    planShortened({ plan: from, maxTokens }, asking, within);
  return { ...plan.value, call: asked, withoutReasoningRoom, shortened };
}

export const reservedBy = (
  plan: Plan,
  about: { policy?: Policy; keyLimits?: Limits; server?: ServerPolicy } = {},
): Reserved =>
  reservationOf({
    plan,
    caller: callerWith(about),
    server: about.server === undefined ? null : { id: "srv_1", policy: about.server },
    now: 1_800_000_000_000,
  });
