/** The use case `sample` over one shard's database: a call from its choice to its settlement. */
import type { Ids } from "../domain/tenancy/ids.ts";
import type { Stores, Vault } from "../domain/ports/stores.ts";
import type { Providers } from "../domain/sampling/providers.ts";
import { createAdmit } from "../pipeline/admit.ts";
import { createAttempt } from "../pipeline/attempt.ts";
import type { Cancellation } from "../pipeline/cancel.ts";
import { createDecide } from "../pipeline/decide.ts";
import { createEndCall } from "../pipeline/end-call.ts";
import { createFinish, type Summary } from "../pipeline/finish.ts";
import type { Idempotency } from "../pipeline/idempotency.ts";
import { createObserve } from "../pipeline/observe.ts";
import { createRelease } from "../pipeline/release.ts";
import { createSample, type Sample } from "../pipeline/sample.ts";
import { createSettle } from "../pipeline/settle.ts";
import type { Door } from "../pipeline/turns.ts";
import { createTraces } from "../telemetry/traces.ts";
import { after, catalogueShardOf, clock, randomBytesOf, type Isolate } from "./isolate.ts";

const { now, wait } = clock;

export function createShardSample(
  isolate: Pick<Isolate, "config" | "host" | "memory" | "openKey" | "choosing" | "lostAdmissions">,
  shard: {
    name: string;
    ids: Ids;
    stores: Pick<Stores, "ledger">;
    vault: Vault;
    door: Door;
    background: (work: Promise<unknown>) => void;
    upkeep: (work: Promise<unknown>) => void;
    parts: {
      providers: Providers;
      cancellation: Cancellation;
      idempotency: Idempotency<Summary>;
    };
  },
): Sample {
  const { config, host, memory } = isolate;
  const { fetch, log } = host;
  const { name, ids, vault, door, background, upkeep } = shard;
  const { ledger } = shard.stores;
  const { providers, idempotency, cancellation } = shard.parts;
  const { chooser } = isolate.choosing(catalogueShardOf(name));
  const endCall = createEndCall({ ledger, ids });
  const lost = isolate.lostAdmissions(name);
  const traces = createTraces({
    target: config.traceTarget,
    fetch,
    randomBytesOf,
    background,
    wait,
    after,
    log,
  });
  return createSample({
    decide: createDecide({
      chooser,
      admit: createAdmit({ ledger, sessionTtlMs: config.sessionTtlMs }),
      idempotency,
      release: (one) => upkeep(createRelease({ ledger, endCall, lost, now, wait })(one)),
      ledger,
      ...clock,
    }),
    finish: createFinish({
      attempt: createAttempt({
        providers,
        openKey: (credential) => isolate.openKey(credential, vault),
        ...clock,
        after,
        chance: () => Math.random(),
      }),
      settle: createSettle({ endCall, vault, ids, now, wait, log }),
      cancellation,
      idempotency,
      ...clock,
      after,
      background,
      forget: ({ memoryKey }) => memory.delete(memoryKey),
    }),
    idempotency,
    observe: createObserve({ traces, providers, now, log }),
    door,
    ids,
    background,
  });
}
