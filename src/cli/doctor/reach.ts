/** Whether this machine reaches the providers of its settings. No key is sent, so nothing is paid for. */
import { baseUrls } from "../../domain/choice/endpoints.ts";
import type { ProviderSetting } from "../../start/provider-settings.ts";
import { moment } from "./duration.ts";
import { fine, warning, type Finding } from "./finding.ts";

const deadlineMs = 5_000;
/** An answer's `Date` has whole seconds, and takes time to arrive. */
const mostSkewMs = 10_000;

async function reachOf({ name, provider, baseUrl }: ProviderSetting): Promise<Finding[]> {
  const origin = new URL(baseUrl ?? baseUrls.get(provider) ?? "").origin;
  let date: string | null;
  try {
    const signal = AbortSignal.timeout(deadlineMs);
    // Any answer is one: without a key it is a refusal.
    const answer = await fetch(origin, { method: "HEAD", redirect: "manual", signal });
    date = answer.headers.get("date");
  } catch {
    return [
      warning(
        "providers",
        `${name}: ${origin} can't be reached from here`,
        "See whether a firewall or a proxy stands between; a router's requests go out directly.",
      ),
    ];
  }
  const now = Date.now();
  const there = date === null ? Number.NaN : Date.parse(date);
  return [
    fine("providers", `${name}: ${origin} answers`),
    ...(Math.abs(there - now) > mostSkewMs
      ? [
          warning(
            "clock",
            `this clock says ${moment(now)}, and ${origin}'s ${moment(there)}`,
            "Set it by NTP.",
          ),
        ]
      : []),
  ];
}

export const reachesOf = async (providers: readonly ProviderSetting[]): Promise<Finding[]> =>
  (await Promise.all(providers.map(reachOf))).flat();
