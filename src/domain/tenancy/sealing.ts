/**
 * How everything that is sealed, or carries a code, comes under the current master key and the current version
 * of seals. `docs/decisions/0010-seals-name-their-destination.md` has the argument.
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
  /**
   * every URL to which the secret may be sent; empty: the secret is sent nowhere. Seals of version 1 lack this
   * member
   */
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
  /** whether seals of version 1 and API keys without a code still count; false for ever once the work is done */
  adopts: boolean;
  /** the step that is being worked on */
  step: SealingStep;
  /** ms since the epoch, when the first process with this key and this version saw the database */
  since: number;
}

export interface SealingRow extends SealingState {
  code: string;
}

/** The text that the code of a state covers. */
export const sealingText = ({ keyId, adopts, step, since }: SealingState): string =>
  JSON.stringify([keyId, adopts, step, since]);

const stepOf: Record<Exclude<SealedFor["purpose"], "round" | "grant-check">, WorkStep> = {
  credential: "credentials",
  server: "servers",
  // The last of the two steps with tokens.
  token: "user-tokens",
  authorization: "authorizations",
  webhook: "webhooks",
  "sign-in": "sign-ins",
  user: "users",
  capture: "captures",
  result: "results",
};

const isAhead = (state: SealingState, step: WorkStep): boolean =>
  sealingSteps.indexOf(state.step) <= sealingSteps.indexOf(step);

/** ms. Clients keep the state of a round for a day, and no job can seal it anew. */
const roundsLiveMs = 24 * 3_600_000;

/** @param at ms since the epoch; `beginsAt`: when the work began, which older processes may delay */
export function acceptsFirst(
  state: SealingState,
  purpose: SealedFor["purpose"],
  at: { now: number; beginsAt: number },
): boolean {
  if (!state.adopts) return false;
  // Seals of this purpose began with version 2.
  if (purpose === "grant-check") return false;
  if (purpose === "round") return at.now < at.beginsAt + roundsLiveMs;
  return isAhead(state, stepOf[purpose]);
}

export const acceptsUncoded = (state: SealingState): boolean =>
  state.adopts && isAhead(state, "keys");

/** Which master keys and versions a database's seals and codes show. */
export interface SealingTraces {
  /** there is a seal of version 2, or a code, by a master key at hand */
  second: boolean;
  /** there is a seal of version 1 by a master key at hand */
  first: boolean;
  /** there is a seal or a code, by any master key */
  sealed: boolean;
  /** there is an API key, captured content or a kept result */
  used: boolean;
}

/**
 * The state of a master key of which the database has no state. Version 1 is taken over only where nothing of
 * version 2 is there, so deleting the row of a state brings nothing back. Where other keys sealed and this key
 * did not, MASTER_KEY is another one, and its database does not own rows without a code either.
 */
export function firstState(
  keyId: string,
  /** null: the database has no state of the previous key, or there is no previous key */
  before: { previous: SealingState | "forged" | null; traces: SealingTraces; now: number },
): SealingState {
  const { previous, traces, now } = before;
  const [firstStep] = sealingSteps;
  if (previous === "forged") return { keyId, adopts: false, step: firstStep, since: now };
  if (previous !== null) {
    const adopts = previous.adopts && previous.step !== "done";
    return { keyId, adopts, step: firstStep, since: now };
  }
  const isNew = !traces.sealed && !traces.used;
  if (isNew) return { keyId, adopts: false, step: "done", since: now };
  const adopts = !traces.second && (traces.first || !traces.sealed);
  return { keyId, adopts, step: firstStep, since: now };
}

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
  states(): Stored<SealingRow[]>;
  traces(keyIds: readonly string[]): Stored<SealingTraces>;
  foreign(keyIds: readonly string[]): Stored<ForeignSeals>;
  /** Writes the row if its key has none, or if the one there has the code `instead`. Gives all rows then. */
  begin(row: SealingRow, instead: string | null): Stored<SealingRow[]>;
  /** Writes the next step, with an event if there is one, if the row still has the code `from`. */
  advance(row: SealingRow, from: string, event: AdminEvent | null): Stored<null>;
  /** null: somebody else has the turn. Else what `release` was given last; empty at first. */
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
