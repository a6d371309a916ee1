/**
 * An unchanged address is not rechecked: a stricter setting would block every other change. Each message is
 * checked before it is sent.
 */
import type { Refusal } from "../../../domain/refusals.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import { problemWithEndpoint } from "../../../domain/servers/upstreams.ts";

export function checkedWebhook(
  { rule, before }: Record<"rule" | "before", { webhookUrl?: string } | undefined>,
  path: string,
  deps: { allowPrivateUpstreams: boolean; ownOrigins: readonly string[] },
): Result<null, Refusal> {
  if (rule?.webhookUrl === undefined || rule.webhookUrl === before?.webhookUrl) return ok(null);
  const { allowPrivateUpstreams: allowPrivate, ownOrigins } = deps;
  const detail = problemWithEndpoint(rule.webhookUrl, { allowPrivate, ownOrigins });
  return detail === null ? ok(null) : err({ reason: "invalid_params", path, detail });
}
