/** Re-encryption under the current master key; see `docs/decisions/0010-seals-name-their-destination.md`. */
import type { AdminEvent } from "../admin-event.ts";
import type { CloudPlace } from "../models/cloud-place.ts";
import type { AsyncResult } from "../refusals.ts";

/** Additional authenticated data of a seal. */
export interface SealedFor {
  purpose:
    | "credential"
    | "capture"
    | "result"
    | "server"
    | "token"
    | "authorization"
    | "webhook"
    | "sign-in"
    | "user"
    | "grant-check"
    | "round";
  tenantId: string;
  /** the owner: a provider, or a server's origin */
  provider: string;
  id: string;
  /** all URLs that may receive the secret; empty: none */
  destination: string;
}

interface SealedKeyOf {
  tenantId: string;
  provider: string;
  id: string;
  baseUrl: string | null;
  place?: CloudPlace | null;
  headerNames?: readonly string[] | null;
}

const entriesOf = (place: CloudPlace | null | undefined): [string, unknown][] =>
  Object.entries(place ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1));

/** Bound to the credential's base URL, place and names of headers, or the provider's default. */
export const providerKeyOf = (credential: SealedKeyOf): SealedFor => ({
  purpose: "credential",
  tenantId: credential.tenantId,
  provider: credential.provider,
  id: credential.id,
  destination:
    credential.place || credential.headerNames?.length
      ? JSON.stringify([
          credential.baseUrl,
          entriesOf(credential.place),
          ...(credential.headerNames?.length ? [credential.headerNames] : []),
        ])
      : (credential.baseUrl ?? "default"),
});

/** Access tokens that the credential was exchanged for. */
export const cloudTokenOf = (credential: SealedKeyOf): SealedFor => ({
  ...providerKeyOf(credential),
  purpose: "token",
});

/** A signing secret is never sent, a header to its destination. */
export const webhookSecretOf = (secret: {
  tenantId: string;
  id: string;
  destination: string | null;
}): SealedFor => ({
  purpose: "webhook",
  tenantId: secret.tenantId,
  provider: "",
  id: secret.id,
  destination: secret.destination ?? "",
});

/** Order of work: secrets useful to an attacker first, large data last. */
export const sealingSteps = [
  "keys",
  "oauth-entries",
  "approvals",
  "credentials",
  "servers",
  "tokens",
  "user-tokens",
  "authorizations",
  "webhooks",
  "sign-ins",
  "users",
  "captures",
  "results",
  "done",
] as const;
export type SealingStep = (typeof sealingSteps)[number];
export type WorkStep = Exclude<SealingStep, "done">;

export interface SealingState {
  keyId: string;
  step: SealingStep;
  /** ms since the epoch, when a process first used the key with this database */
  since: number;
}

export const firstState = (
  keyId: string,
  { hasOthers, now }: { hasOthers: boolean; now: number },
): SealingState => ({ keyId, step: hasOthers ? sealingSteps[0] : "done", since: now });

export interface ForeignSeals {
  credentials: { all: number; foreign: number };
  servers: { all: number; foreign: number };
  keyIds: string[];
}

/** For all tenants; only for re-encryption. */
export interface SealingStore {
  states(): AsyncResult<SealingState[]>;
  hasOthers(keyId: string): AsyncResult<boolean>;
  foreign(keyIds: readonly string[]): AsyncResult<ForeignSeals>;
  /** Writes the state if missing, or if it began at `instead`. Returns all states. */
  begin(state: SealingState, instead: number | null): AsyncResult<SealingState[]>;
  /** Compare-and-swap of the step, with the event. */
  advance(state: SealingState, from: SealingStep, event: AdminEvent | null): AsyncResult<null>;
  /** Acquires the lease, with the last released cursor; null: taken. */
  claim(now: number, until: number): AsyncResult<{ cursor: string } | null>;
  release(cursor: string): AsyncResult<null>;
}

export interface SealedRow {
  tenantId: string;
  place: string;
  sealed: string;
  /** unsealed prefix of the text */
  mark?: string;
  context: SealedFor;
}

export interface Resealed extends SealedRow {
  fresh: string;
}

export const codedKinds = ["keys", "oauth-entries", "approvals"] as const;
export type CodedKind = (typeof codedKinds)[number];
export type SealedKind = Exclude<WorkStep, CodedKind>;

export interface CodedRow {
  tenantId: string;
  place: string;
  text: string;
  code: string | null;
}

export interface SealedRowStore {
  page(kind: SealedKind, after: string): AsyncResult<SealedRow[]>;
  replace(kind: SealedKind, rows: readonly Resealed[]): AsyncResult<null>;
  coded(kind: CodedKind, after: string): AsyncResult<CodedRow[]>;
  recode(kind: CodedKind, rows: readonly Recoded[]): AsyncResult<null>;
}

export interface Recoded extends Pick<CodedRow, "tenantId" | "place"> {
  from: string | null;
  to: string;
}
