/**
 * An unchanged address is not rechecked: a stricter setting would block every other change. Each message is
 * checked before it is sent.
 */
import type { Refusal } from "../../../domain/refusals.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import { problemWithEndpoint } from "../../../domain/servers/upstreams.ts";

export function checkedWebhook(
  {
    url,
    path,
    before = [],
  }: { url: string | undefined; path: string; before?: readonly (string | undefined)[] },
  deps: { allowPrivateUpstreams: boolean; ownOrigins: readonly string[] },
): Result<null, Refusal> {
  if (url === undefined || before.includes(url)) return ok(null);
  const { allowPrivateUpstreams: allowPrivate, ownOrigins } = deps;
  const detail = problemWithEndpoint(url, { allowPrivate, ownOrigins });
  return detail === null ? ok(null) : err({ reason: "invalid_params", path, detail });
}
