/** What the newest calls say about a credential, for lists. */
import type { SamplingRecord } from "../../../domain/audit/record.ts";
import type { LastCheck } from "../../../domain/models/model.ts";
import type { Credential } from "../../../domain/ports/stores.ts";

/** requests that are read */
export const maxRead = 200;

/** A fault of the request alone says nothing about the credential. `null` without a call since its last change. */
export function lastCallOf(
  { id, updatedAt }: Pick<Credential, "id" | "updatedAt">,
  newestFirst: readonly SamplingRecord[],
): LastCheck | null {
  for (const { createdAt: at, attempts } of newestFirst) {
    const attempt = attempts.findLast(
      ({ credentialId, fault, reach }) =>
        credentialId === id && (fault === null || (fault !== "cancelled" && reach !== "request")),
    );
    if (attempt === undefined || at < updatedAt) continue;
    const { fault: kind, status, code, network } = attempt;
    const more = { ...(code !== undefined && { code }), ...(network && { network }) };
    return { at, ok: kind === null, fault: kind === null ? null : { kind, status, ...more } };
  }
  return null;
}
