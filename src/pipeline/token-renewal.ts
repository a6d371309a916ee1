/** Renews a stored token: one caller at a time, and no token is used before it is stored. */
import { clockSlackMs } from "../domain/clocks.ts";
import type { RenewedTokens, ServerTokens } from "../domain/ports/server-stores.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import { ok, type Result } from "../domain/result.ts";
import { isUnreachable, type OauthFault } from "../domain/servers/oauth.ts";

/** ms before expiry at which a token is renewed. */
const aheadMs = 60_000;
/** ms: longer than all tries of a renewal. */
const leaseMs = 45_000;
/** ms without a retry after a refusal. */
const afterRefusalMs = 30_000;
const afterSilenceMs = 2_000;
const pollMs = 200;
/** ms that a call without a token waits for another's renewal. */
const patienceMs = 10_000;
/** A single-use refresh token may be spent, so its successor must be stored. */
const saveTries = 4;
const saveWaitMs = 250;

export interface Expiring {
  /** ms since the epoch; null: unknown */
  expiresAt: number | null;
}

export const isFresh = ({ expiresAt }: Expiring, now: number): boolean =>
  expiresAt === null || expiresAt - now > aheadMs;

/** The holder of a token, and how it is stored and obtained. */
export interface Renewable<Grant extends Expiring> {
  tokens: RenewedTokens;
  tenantId: string;
  id: string;
  /** false: the first token comes from elsewhere */
  begins: boolean;
  /** `null` if it is missing or no key opens it */
  held(row: ServerTokens | null): Promise<Grant | null>;
  seal(grant: Grant): Promise<string>;
  /** Called with the lease. */
  ask(held: Grant | null): AsyncResult<Result<Grant, OauthFault>>;
  /** Called after the fault was stored, unless another caller's renewal succeeded. */
  refused(fault: OauthFault): AsyncResult<null>;
}

/** `null` if none can be obtained. */
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

  /** Requires the lease. Stores the token before anyone uses it. */
  async function renew<Grant extends Expiring>(
    holder: Renewable<Grant>,
    row: ServerTokens,
  ): AsyncResult<Grant | null> {
    const { tokens, tenantId, id } = holder;
    const asked = await holder.ask(await holder.held(row));
    if (!asked.ok) return asked;
    if (!asked.value.ok) {
      const fault = asked.value.error;
      const failed = await tokens.fail(tenantId, id, {
        from: row.generation,
        fault,
        leaseUntil: now() + (isUnreachable(fault) ? afterSilenceMs : afterRefusalMs),
      });
      if (!failed.ok) return failed;
      // Another caller's renewal may have invalidated this one.
      const current = await tokens.get(tenantId, id);
      if (!current.ok) return current;
      if (current.value !== null && current.value.generation !== row.generation)
        return ok(await holder.held(current.value));
      const refused = await holder.refused(fault);
      return refused.ok ? ok(null) : refused;
    }
    const grant = asked.value.value;
    const stored = {
      from: row.generation,
      generation: nonce(),
      sealed: await holder.seal(grant),
      expiresAt: grant.expiresAt,
    };
    for (let tries = 1; ; tries += 1) {
      const saved = await tokens.save(tenantId, id, stored);
      // Superseded or deleted; the token still works for this call.
      if (saved.ok) return ok(grant);
      if (tries >= saveTries) return saved;
      await wait(saveWaitMs * tries);
    }
  }

  return async function grantFor(holder) {
    const { tokens, tenantId, id } = holder;
    const until = elapsed() + patienceMs;
    for (;;) {
      const read = await tokens.get(tenantId, id);
      if (!read.ok) return read;
      const row = read.value;
      if (!holder.begins && (row === null || row.sealed === null)) return ok(null);
      const held = await holder.held(row);
      const left =
        row?.expiresAt === null ? Number.POSITIVE_INFINITY : (row?.expiresAt ?? 0) - now();
      if (held !== null && left > aheadMs) return ok(held);
      const claimed = await tokens.claim(tenantId, id, {
        from: row === null ? null : row.generation,
        lease: nonce(),
        now: now(),
        leaseUntil: now() + leaseMs,
      });
      if (!claimed.ok) return claimed;
      if (claimed.value !== null) {
        const renewed = await renew(holder, claimed.value);
        // A valid token is used even if its renewal is refused.
        return renewed.ok && renewed.value === null && held !== null && left > 0
          ? ok(held)
          : renewed;
      }
      if (held !== null && left > 0) return ok(held);
      const leftMs = (row?.leaseUntil ?? 0) - now();
      const isRefused = row !== null && row.fault !== null && leftMs > 0;
      if ((isRefused && leftMs <= leaseMs + clockSlackMs) || elapsed() >= until) return ok(null);
      await wait(pollMs);
    }
  };
}
