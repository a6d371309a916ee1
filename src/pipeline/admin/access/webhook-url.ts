/**
 * Whether messages may be sent to the address that a rule of approval, or of alerts, names. An address that the change
 * leaves as it was is not judged again: after a change of the settings it would block every other change. Each message
 * is judged once more before it is sent.
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
