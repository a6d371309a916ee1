/** Renews a stored token, by one caller at a time. The new token is stored before it is used. */
import { clockSlackMs } from "../domain/clocks.ts";
import type { RenewedTokens, ServerTokens } from "../domain/ports/server-stores.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import { ok, type Result } from "../domain/result.ts";
import { isUnreachable, type OauthFault } from "../domain/servers/oauth.ts";

/** ms before expiry at which a token is renewed. */
const renewalLeadMs = 60_000;
/** ms, longer than all attempts of one renewal. */
const leaseMs = 45_000;
/** ms until the next attempt. */
const pauseAfterRefusalMs = 30_000;
const pauseIfUnreachableMs = 2_000;
const pollMs = 200;
/** ms that a call without a token waits for another caller's renewal. */
const maxWaitMs = 10_000;
/** The renewal may have used up the refresh token, so losing the new one would require a new consent. */
const maxSaveAttempts = 4;
const savePauseMs = 250;

export interface Expiring {
  /** ms since the epoch; null: unknown */
  expiresAt: number | null;
}

export const isFresh = ({ expiresAt }: Expiring, now: number): boolean =>
  expiresAt === null || expiresAt - now > renewalLeadMs;

/** The holder of a token, and how it is stored and obtained. */
export interface Renewable<Grant extends Expiring> {
  tokens: RenewedTokens;
  tenantId: string;
  id: string;
  /** `false` if the first token requires a person's consent */
  canObtainFirst: boolean;
  /** `null` if no token is stored or it can't be decrypted */
  open(row: ServerTokens | null): Promise<Grant | null>;
  seal(grant: Grant): Promise<string>;
  /** Called while the caller holds the lease. */
  ask(held: Grant | null): AsyncResult<Result<Grant, OauthFault>>;
  /** Called after the fault was stored, unless another caller's renewal succeeded. */
  onRefused(fault: OauthFault): AsyncResult<null>;
}

/** The stored or a renewed token; `null` if neither is available. */
export type GrantFor = <Grant extends Expiring>(
  holder: Renewable<Grant>,
) => AsyncResult<Grant | null>;

export function createTokenRenewal(deps: {
  nonce: () => string;
  now: () => number;
  /** ms, monotonic */
  elapsed: () => number;
  wait: (ms: number) => Promise<void>;
}): GrantFor {
  const { nonce, now, elapsed, wait } = deps;

  /** The caller must hold the lease. */
  async function renew<Grant extends Expiring>(
    holder: Renewable<Grant>,
    row: ServerTokens,
  ): AsyncResult<Grant | null> {
    const { tokens, tenantId, id } = holder;
    const asked = await holder.ask(await holder.open(row));
    if (!asked.ok) return asked;
    if (!asked.value.ok) {
      const fault = asked.value.error;
      const faultStored = await tokens.fail(tenantId, id, {
        from: row.generation,
        fault,
        leaseUntil: now() + (isUnreachable(fault) ? pauseIfUnreachableMs : pauseAfterRefusalMs),
      });
      if (!faultStored.ok) return faultStored;
      // Another caller's renewal may have used up the refresh token.
      const current = await tokens.get(tenantId, id);
      if (!current.ok) return current;
      if (current.value !== null && current.value.generation !== row.generation)
        return ok(await holder.open(current.value));
      const refused = await holder.onRefused(fault);
      return refused.ok ? ok(null) : refused;
    }
    const grant = asked.value.value;
    const stored = {
      from: row.generation,
      generation: nonce(),
      sealed: await holder.seal(grant),
      expiresAt: grant.expiresAt,
    };
    for (let attempt = 1; ; attempt += 1) {
      const saved = await tokens.save(tenantId, id, stored);
      // If the row was replaced or deleted meanwhile, the token still works for this call.
      if (saved.ok) return ok(grant);
      if (attempt >= maxSaveAttempts) return saved;
      await wait(savePauseMs * attempt);
    }
  }

  return async function grantFor(holder) {
    const { tokens, tenantId, id } = holder;
    const deadline = elapsed() + maxWaitMs;
    for (;;) {
      const read = await tokens.get(tenantId, id);
      if (!read.ok) return read;
      const row = read.value;
      if (!holder.canObtainFirst && (row === null || row.sealed === null)) return ok(null);
      const held = await holder.open(row);
      const tokenLeftMs =
        row?.expiresAt === null ? Number.POSITIVE_INFINITY : (row?.expiresAt ?? 0) - now();
      if (held !== null && tokenLeftMs > renewalLeadMs) return ok(held);
      const claimed = await tokens.claim(tenantId, id, {
        from: row === null ? null : row.generation,
        lease: nonce(),
        now: now(),
        leaseUntil: now() + leaseMs,
      });
      if (!claimed.ok) return claimed;
      if (claimed.value !== null) {
        const renewed = await renew(holder, claimed.value);
        // Until it expires, the old token is used even if its renewal is refused.
        return renewed.ok && renewed.value === null && held !== null && tokenLeftMs > 0
          ? ok(held)
          : renewed;
      }
      if (held !== null && tokenLeftMs > 0) return ok(held);
      const leaseLeftMs = (row?.leaseUntil ?? 0) - now();
      const isRefused = row !== null && row.fault !== null && leaseLeftMs > 0;
      if ((isRefused && leaseLeftMs <= leaseMs + clockSlackMs) || elapsed() >= deadline)
        return ok(null);
      await wait(pollMs);
    }
  };
}
