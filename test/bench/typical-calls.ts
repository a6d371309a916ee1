/** Calls as a tenant with three providers makes them, through the product's own choice, admission and settlement. */
import { createIds } from "../../src/domain/tenancy/ids.ts";
import type { Attempt } from "../../src/domain/attempts.ts";
import { askedOf, type Opening } from "../../src/domain/audit/record.ts";
import { poolFrom, type ModelPool } from "../../src/domain/choice/model-pool.ts";
import { choose } from "../../src/domain/choice/selection.ts";
import { seedCatalogue } from "../../src/domain/models/catalogue.ts";
import { nameOf } from "../../src/domain/models/model.ts";
import type { Snapshot, Stores } from "../../src/domain/ports/stores.ts";
import type { SamplingCall } from "../../src/domain/sampling/call.ts";
import { toHex } from "../../src/crypto/encoding.ts";
import {
  createAdmit,
  reservationOf,
  type Reserved,
} from "../../src/pipeline/sampling/admission/admit.ts";
import {
  chargeOf,
  createSettle,
  type Ended,
} from "../../src/pipeline/sampling/settlement/settle.ts";
import { anotherKey, credential, event, tenant } from "../contract/store/fixtures.ts";
import { value } from "../contract/store/open.ts";

const providers = ["openai", "anthropic", "google"];
/** Counted, and never reached. */
const limits = { requestsPerMinute: 1e9, tokensPerMinute: 1e12, concurrent: 1e9 };
const hints = [["claude"], ["gpt-5"], ["sonnet", "claude"], ["gemini"], []];
const priorities = [
  {},
  { intelligence: 0.8 },
  { cost: 0.7 },
  { intelligence: 0.8, speed: 0.5, cost: 0.3 },
  { speed: 1 },
];
const sizes = [60, 300, 1_500, 8_000];
const max = [100, 500, 1_000, 4_000];

const ids = createIds({
  now: () => Date.now(),
  randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
});

const of = <T>(list: readonly T[], at: number): T => {
  const found = list[at % list.length];
  if (found === undefined) throw new Error("an empty list");
  return found;
};

/** The lengths of the lists share no divisor with the strides, so all combinations come. */
function callAt(at: number): SamplingCall {
  const words = "The quick brown fox jumps over the lazy dog. ";
  const length = of(sizes, at) + (at % 97);
  return {
    messages: [
      {
        role: "user",
        content: [{ type: "text", text: words.repeat(length / words.length + 1).slice(0, length) }],
      },
    ],
    maxTokens: of(max, Math.floor(at / 3)),
    hints: of(hints, at),
    priorities: of(priorities, Math.floor(at / 7)),
    includeContext: "none",
    ...(at % 3 === 0 && { temperature: 0.7 }),
    stopSequences: [],
    tools: [],
    metadata: {},
    outputModalities: ["text"],
  };
}

const openingOf = ({ tenant: { id }, key }: Snapshot, call: SamplingCall, at: number): Opening => ({
  id: ids.next("request"),
  who: {
    tenantId: id,
    keyId: key.id,
    sessionId: null,
    serverId: null,
    tool: null,
    clientName: "typical-client",
    clientVersion: "1.4.2",
    revision: "2025-11-25",
  },
  createdAt: Date.now(),
  asked: askedOf(call, 400 + (at % 50), ["text"]),
  contentSha256: toHex(crypto.getRandomValues(new Uint8Array(32))),
});

/** The answer of the first candidate, at its ordinary pace. */
function answerOf({ steps: [first] }: Reserved, call: SamplingCall, at: number): Attempt {
  if (first === undefined) throw new Error("a reservation without a candidate");
  const { provider, id: model } = first.model;
  return {
    provider,
    model,
    status: 200,
    retryable: false,
    credentialId: first.credentialId,
    fault: null,
    billed: "yes",
    latencyMs: 700 + (at % 900),
    retryAfterMs: null,
    usage: {
      inputTokens: 20 + (at % 1_800),
      outputTokens: Math.min(call.maxTokens, 40 + (at % 300)),
      estimated: false,
    },
  };
}

export interface Typical {
  tenantId: string;
  /** how many models the last choice could take */
  feasible: () => number;
  admit: (at: number) => Promise<() => Promise<void>>;
}

async function snapshotOf(stores: Stores): Promise<Snapshot> {
  const its = tenant({ id: ids.next("tenant"), policy: { limits } });
  value(await stores.tenants.create(its, event(its.id)));
  const keyId = await anotherKey(stores, its.id, limits);
  for (const provider of providers) {
    const made = credential(its.id, { provider, id: ids.next("credential") });
    value(await stores.credentials.create(made, event(its.id)));
  }
  const { snapshot } = value(await stores.snapshots.load(keyId, null, Date.now()));
  if (snapshot === null) throw new Error("no snapshot of a key that was just made");
  return snapshot;
}

/** A stored tenant, and its calls: each is admitted first, and settled by what the admission gives. */
export async function typicalCalls(stores: Stores): Promise<Typical> {
  const snapshot = await snapshotOf(stores);
  const caller = { snapshot, session: null, server: null, warm: true, memoryKey: "" };
  let field: ModelPool | undefined;
  let feasible = 0;
  const admit = createAdmit({ ledger: stores.ledger, sessionTtlMs: 0 });
  const settle = createSettle({
    endCall: (settlement) => stores.ledger.settle(settlement),
    vault: { seal: async () => "", open: async () => null } as never,
    ids,
    now: () => Date.now(),
    wait: async () => {},
    log: () => {},
  });
  return {
    tenantId: snapshot.tenant.id,
    feasible: () => feasible,
    async admit(at) {
      // What was measured of the models shows in decisions, as it does after a tenant's first calls.
      if (at % 100 === 0 || field === undefined) {
        const read = value(await stores.snapshots.load(snapshot.key.id, null, Date.now()));
        field = poolFrom({
          models: seedCatalogue.models,
          credentials: snapshot.credentials,
          catalogueVersion: seedCatalogue.version,
          policy: snapshot.tenant.policy,
          health: read.snapshot?.health ?? [],
          now: Date.now(),
        });
      }
      const call = callAt(at);
      const plan = value(choose(call, field));
      feasible = plan.decision.candidates.filter(({ excludedBy }) => !excludedBy).length;
      const now = Date.now();
      const reserved = reservationOf({ plan, caller, server: null, now });
      const opening = openingOf(snapshot, call, at);
      const parts = {
        plan,
        reserved,
        fallbacks: [],
        ifReserved: "refused" as const,
        caller,
        opening,
        replayKey: null,
        approval: null,
        now,
      };
      const admission = value(await admit(parts));
      if (admission.state !== "admitted") throw new Error(`a call was ${admission.state}`);
      const attempt = answerOf(reserved, call, at);
      const ended: Ended = {
        id: opening.id,
        tenantId: snapshot.tenant.id,
        receipt: admission.receipt,
        reserved,
        circuits: [],
        refusedKeys: [],
        refusal: null,
        model: nameOf({ provider: attempt.provider, id: attempt.model }),
        charge: chargeOf([attempt], reserved),
        size: 1,
        result: null,
        timing: {
          auth: at % 2,
          choose: 1,
          approve: 0,
          admit: 2 + (at % 5),
          provider: attempt.latencyMs,
        },
        totalMs: attempt.latencyMs + 6,
        content: null,
        messages: [],
      };
      return async () => void value(await settle(ended));
    },
  };
}
