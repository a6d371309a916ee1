/**
 * How everything that is sealed, or carries a code, comes under the current master key.
 * `docs/decisions/0010-seals-name-their-destination.md` has the argument.
 */
import type { AdminEvent } from "../admin-event.ts";
import type { Refusal } from "../refusals.ts";
import type { Result } from "../result.ts";

/** What a seal is bound to. Opening it as anything else fails. */
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
  /** the owner: a provider's name, or the origin of a server */
  provider: string;
  id: string;
  /** every URL to which the secret may be sent; empty: the secret is sent nowhere */
  destination: string;
}

/** A provider's key goes to the base URL that it was given for, or to the provider's known one. */
export const providerKeyOf = (credential: {
  tenantId: string;
  provider: string;
  id: string;
  baseUrl: string | null;
}): SealedFor => ({
  purpose: "credential",
  tenantId: credential.tenantId,
  provider: credential.provider,
  id: credential.id,
  destination: credential.baseUrl ?? "default",
});

/** A secret that signs messages to webhooks stays here: signatures are sent, and the secret never is. */
export const webhookSecretOf = ({ tenantId, id }: { tenantId: string; id: string }): SealedFor => ({
  purpose: "webhook",
  tenantId,
  provider: "",
  id,
  destination: "",
});

/** The order of the work: what an attacker could use comes first, what may be large comes last. */
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

/** How far sealing anew has come under one master key. */
export interface SealingState {
  /** id of the master key, as seals name it */
  keyId: string;
  /** the step that is being worked on */
  step: SealingStep;
  /** ms since the epoch, when the first process with this key saw the database */
  since: number;
}

/**
 * The state of a master key of which the database has no state. Where no other key has sealed anything, there is
 * nothing to do.
 */
export const firstState = (
  keyId: string,
  { hasOthers, now }: { hasOthers: boolean; now: number },
): SealingState => ({ keyId, step: hasOthers ? sealingSteps[0] : "done", since: now });

/** How many secrets there are, and how many of them no key at hand can open. */
export interface ForeignSeals {
  credentials: { all: number; foreign: number };
  servers: { all: number; foreign: number };
  /** ids of the master keys under which those were sealed */
  keyIds: string[];
}

type Stored<T> = Promise<Result<T, Refusal>>;

/** Reads and writes every tenant's rows. Only sealing anew uses it. */
export interface SealingStore {
  states(): Stored<SealingState[]>;
  /** Whether there is a seal or an API key's code by another master key than this one. */
  hasOthers(keyId: string): Stored<boolean>;
  foreign(keyIds: readonly string[]): Stored<ForeignSeals>;
  /** Writes the state if its key has none, or has the one of the moment `instead`. Returns all states. */
  begin(state: SealingState, instead: number | null): Stored<SealingState[]>;
  /** Writes the next step, with an event if there is one, if the state is still at the step `from`. */
  advance(state: SealingState, from: SealingStep, event: AdminEvent | null): Stored<null>;
  /** null: another process is at work. Else what `release` was given last; empty at first. */
  claim(now: number, until: number): Stored<{ cursor: string } | null>;
  release(cursor: string): Stored<null>;
}

/** A seal as its row has it, with what the seal has to be bound to by what the database says now. */
export interface SealedRow {
  tenantId: string;
  /** the row's place in its table, by which `page` goes on */
  place: string;
  sealed: string;
  /** text that stands before the seal and stays there; absent: none */
  mark?: string;
  context: SealedFor;
}

export interface Resealed extends SealedRow {
  /** the seal that replaces `sealed` */
  fresh: string;
}

export const codedKinds = ["keys", "oauth-entries", "approvals"] as const;
export type CodedKind = (typeof codedKinds)[number];
export type SealedKind = Exclude<WorkStep, CodedKind>;

/** A row with a code, as its row has both. */
export interface CodedRow {
  tenantId: string;
  /** the row's place in its table, by which `coded` goes on */
  place: string;
  /** what the code covers */
  text: string;
  code: string | null;
}

export interface SealedRowStore {
  /** Rows after a place, in order; empty at the end. As many as fit into some megabytes, and one at least. */
  page(kind: SealedKind, after: string): Stored<SealedRow[]>;
  /** Replaces the rows that are still as they were read, and raises the versions of their tenants. */
  replace(kind: SealedKind, rows: readonly Resealed[]): Stored<null>;
  /** `page`, of rows with codes. */
  coded(kind: CodedKind, after: string): Stored<CodedRow[]>;
  /** `replace`, for codes. */
  recode(kind: CodedKind, rows: readonly Recoded[]): Stored<null>;
}

export interface Recoded extends Pick<CodedRow, "tenantId" | "place"> {
  from: string | null;
  to: string;
}
