/** Whose limits apply to a call: the tenant's, the key's, the server's. */
import { narrowed } from "../domain/limits/ceilings.ts";
import type { LimitedScope } from "../domain/limits/holds.ts";
import type { ServerPolicy } from "../domain/choice/policy.ts";
import type { Snapshot } from "../domain/ports/stores.ts";

/** The registered server that asks for sampling, and its policy. */
export interface AskingServer {
  id: string;
  policy: ServerPolicy;
}

export function scopesOf(
  { tenant, key }: Pick<Snapshot, "tenant" | "key">,
  server: AskingServer | null,
): LimitedScope[] {
  const scopes: LimitedScope[] = [
    {
      scope: "tenant",
      subject: tenant.id,
      ...narrowed(tenant.policy.limits ?? {}, tenant.ceiling?.limits),
    },
    { scope: "key", subject: key.id, limits: key.limits },
  ];
  return server === null
    ? scopes
    : [...scopes, { scope: "server", subject: server.id, limits: server.policy.limits ?? {} }];
}
