import type { Ids } from "../../domain/tenancy/ids.ts";
import type { Stores, Vault } from "../../domain/ports/stores.ts";
import type { Providers } from "../../domain/sampling/providers.ts";
import { createAdmit } from "../../pipeline/sampling/admission/admit.ts";
import { createBegin } from "../../pipeline/approvals/begin.ts";
import { createSealContent } from "../../pipeline/approvals/contents.ts";
import { createHoldResult } from "../../pipeline/approvals/hold-result.ts";
import { createHold } from "../../pipeline/approvals/hold-request.ts";
import { createWaitForApproval } from "../../pipeline/approvals/wait.ts";
import { createAttempt } from "../../pipeline/sampling/attempts/attempt.ts";
import { cancellable, type Cancellation } from "../../pipeline/sampling/request/cancel.ts";
import { createAdmitWithApproval } from "../../pipeline/approvals/admit-with-approval.ts";
import { createAwaitApproval } from "../../pipeline/approvals/await-approval.ts";
import { createSettleWithApproval } from "../../pipeline/approvals/settle-with-approval.ts";
import { createWaitForRoom } from "../../pipeline/sampling/decide.ts";
import { createCallSlots } from "../../pipeline/sampling/call-slots.ts";
import { createAdmitChosen, createClaim } from "../../pipeline/sampling/states/admitted.ts";
import { createAccount } from "../../pipeline/sampling/states/accounted.ts";
import { createAttempting } from "../../pipeline/sampling/states/attempted.ts";
import { createChoose } from "../../pipeline/sampling/states/chosen.ts";
import {
  createJoin,
  createRepeat,
  createRepeatKnown,
} from "../../pipeline/sampling/states/joined.ts";
import { createReceive } from "../../pipeline/sampling/states/received.ts";
import { createRefuse } from "../../pipeline/sampling/states/refused.ts";
import { createSettling } from "../../pipeline/sampling/states/settled.ts";
import { createEndCall } from "../../pipeline/sampling/settlement/end-call.ts";
import type { Summary } from "../../pipeline/sampling/settlement/summary.ts";
import type { Idempotency } from "../../pipeline/sampling/request/idempotency.ts";
import { createLimitWaits } from "../../pipeline/sampling/admission/limit-waits.ts";
import { createModelLists, readingLists } from "../../pipeline/sampling/attempts/model-lists.ts";
import type { ProviderKeys } from "../../pipeline/provider-keys.ts";
import { createObserve } from "../../pipeline/sampling/request/observe.ts";
import { createRelease } from "../../pipeline/sampling/settlement/release.ts";
import { createSample, type Sample } from "../../pipeline/sampling/sample.ts";
import { createSettle, createSettlement } from "../../pipeline/sampling/settlement/settle.ts";
import { streamLimits, workerReadOnMs } from "../../pipeline/sampling/streams/stream-limits.ts";
import { createLeases } from "../../pipeline/sampling/streams/leases.ts";
import { createStreams } from "../../pipeline/sampling/streams/streams.ts";
import type { CallScheduler } from "../../pipeline/sampling/scheduling.ts";
import type { DatabaseApprovals } from "./approvals.ts";
import { createTraces } from "../../telemetry/traces.ts";
import { measureOf } from "./measure.ts";
import { after, catalogueDatabaseOf, clock, randomBytesOf, type Isolate } from "../isolate.ts";

const { now, wait } = clock;

export function createDatabaseSample(
  isolate: Pick<
    Isolate,
    | "config"
    | "host"
    | "memory"
    | "listingTries"
    | "choosing"
    | "lostAdmissions"
    | "metering"
    | "sha256Hex"
    | "digestContent"
  >,
  database: {
    name: string;
    ids: Ids;
    stores: Pick<Stores, "ledger" | "approvals" | "credentials">;
    vault: Vault;
    callScheduler: CallScheduler;
    background: (work: Promise<unknown>) => void;
    upkeep: (work: Promise<unknown>) => void;
    parts: {
      providers: Providers;
      providerKeys: ProviderKeys;
      cancellation: Cancellation;
      idempotency: Idempotency<Summary>;
      approvals: DatabaseApprovals;
    };
  },
): Sample {
  const { config, host, memory, sha256Hex, digestContent } = isolate;
  const { fetch, log } = host;
  const { name, ids, vault, callScheduler, background, upkeep } = database;
  const { ledger, approvals } = database.stores;
  const { providers, providerKeys, idempotency, cancellation } = database.parts;
  const { chooser } = isolate.choosing(catalogueDatabaseOf(name));
  const limitWaits = createLimitWaits({ ledger, ...clock, after });
  const endCall = createEndCall({ ledger, ids, ended: limitWaits.ended });
  const lost = isolate.lostAdmissions(name);
  const consoleOrigin = config.publicUrls[0] ?? null;
  const { sendWebhooks, readContent, endHeld } = database.parts.approvals;
  const traces = createTraces({
    target: config.traceTarget,
    fetch,
    randomBytesOf,
    background,
    wait,
    elapsed: clock.elapsed,
    log,
  });
  const measure = measureOf(isolate, { background });
  const readList = createModelLists({
    credentials: database.stores.credentials,
    providers,
    providerKeys,
    tries: isolate.listingTries,
    ends: host.ends,
    ...clock,
  });
  const refuse = createRefuse({ ledger });
  const repeat = createRepeat({ refuse });
  const repeatKnown = createRepeatKnown({ idempotency, repeat });
  const release = createRelease({ ledger, endCall, lost, now, wait });
  const claim = createClaim({
    admit: createAdmit({ ledger, sessionTtlMs: config.sessionTtlMs }),
    repeat,
    release: (one) => upkeep(release(one)),
  });
  const observe = createObserve({
    traces,
    providers,
    now,
    log,
    ...(measure !== null && { measure }),
  });
  const seal = createSealContent({ vault });
  const holding = { chooser, approvals, seal, sha256Hex, consoleOrigin, sendWebhooks };
  const settling = createSettling({
    settle: createSettle({ endCall, vault, ids, now, wait, log }),
    idempotency,
    ...clock,
    after,
    background,
  });
  const attempt = createAttempt({
    providers,
    providerKeys,
    ...clock,
    after,
    chance: () => Math.random(),
  });
  const streams = createStreams({
    providers,
    limits: {
      ...streamLimits,
      ...(config.streamSilenceMs !== null && { silenceMs: config.streamSilenceMs }),
      ...(host.isOneProcess !== true && { readOnMs: workerReadOnMs }),
    },
    abandonedStreams: { count: 0 },
    elapsed: clock.elapsed,
    after,
  });
  const waitForApproval = createWaitForApproval({
    approvals,
    begin: createBegin({ approvals, chooser, read: readContent, ...clock }),
    endHeld,
    sendWebhooks,
    ...clock,
  });
  return createSample(
    {
      receive: createReceive({ digestContent, ids, observe }),
      choose: createChoose({ chooser, refuse, ...clock }),
      admit: createAdmitWithApproval({
        ...holding,
        admit: createAdmitChosen({ claim, elapsed: clock.elapsed }),
        claim,
        hold: createHold(holding),
        repeat,
        repeatKnown,
        refuse,
        idempotency,
      }),
      attempt: cancellable(
        cancellation,
        createAttempting({
          holdLease: createLeases({ ledger, now, after }),
          attempt: readingLists(attempt, { readList, upkeep }),
          streams,
          now,
          forget: ({ memoryKey }) => memory.delete(memoryKey),
        }),
      ),
      settle: createSettleWithApproval({
        account: createAccount({ idempotency, ...clock }),
        settling,
        holdResult: createHoldResult({
          ...holding,
          settlementOf: createSettlement({ vault, ids, now }),
          now,
        }),
      }),
      settleThrown: settling.settleThrown,
      join: createJoin({ idempotency }),
      awaitApproval: createAwaitApproval({
        waitForApproval: cancellable(cancellation, waitForApproval),
        observe,
        idempotency,
        sha256Hex,
        upkeep,
      }),
    },
    {
      waitForRoom: createWaitForRoom({
        limitWaits,
        repeatKnown,
        refuse,
      }),
      callSlots: createCallSlots({ callScheduler }),
      background,
    },
  );
}
