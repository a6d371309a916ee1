/**
 * Whether a webhook address is allowed. An unchanged address is not rechecked, since a stricter setting would
 * then block every other change; each message is checked again before it is sent.
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
