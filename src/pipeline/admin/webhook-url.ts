/** Whether messages may be sent to the address that a rule of approval, or of alerts, names. */
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { problemWithEndpoint } from "../../domain/servers/upstreams.ts";

export function checkedWebhook(
  rule: { webhookUrl?: string } | undefined,
  path: string,
  deps: { allowPrivateUpstreams: boolean; ownOrigins: readonly string[] },
): Result<null, Refusal> {
  if (rule?.webhookUrl === undefined) return ok(null);
  const { allowPrivateUpstreams: allowPrivate, ownOrigins } = deps;
  const detail = problemWithEndpoint(rule.webhookUrl, { allowPrivate, ownOrigins });
  return detail === null ? ok(null) : err({ reason: "invalid_params", path, detail });
}
