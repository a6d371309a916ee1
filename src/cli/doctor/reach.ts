/** Whether the providers are reachable. Sends no key, so it costs nothing. */
import { baseUrls } from "../../domain/choice/endpoints.ts";
import { noAnswerReason } from "../../domain/network-fault.ts";
import { outgoingOf } from "../../start/outgoing.ts";
import type { ProviderSetting } from "../../start/provider-settings.ts";
import { proxyName } from "../../start/proxy-settings.ts";
import type { Settings } from "../../start/settings.ts";
import { moment } from "./duration.ts";
import { fine, warning, type Finding } from "./finding.ts";

const deadlineMs = 5_000;
/** `Date` has whole seconds and arrives late. */
const maxSkewMs = 10_000;

async function reachOf(
  { name, provider, baseUrl }: ProviderSetting,
  ask: typeof fetch,
): Promise<Finding[]> {
  const origin = new URL(baseUrl ?? baseUrls.get(provider) ?? "").origin;
  let date: string | null;
  try {
    const signal = AbortSignal.timeout(deadlineMs);
    // A refusal without a key counts.
    const answer = await ask(origin, { method: "HEAD", redirect: "manual", signal });
    date = answer.headers.get("date");
  } catch (thrown) {
    return [
      warning(
        "providers",
        `${name}: ${noAnswerReason(origin, thrown)}`,
        "If requests leave your network through a proxy only, set HTTPS_PROXY.",
      ),
    ];
  }
  const now = Date.now();
  const there = date === null ? Number.NaN : Date.parse(date);
  return [
    fine("providers", `${name}: ${origin} answers`),
    ...(Math.abs(there - now) > maxSkewMs
      ? [
          warning(
            "clock",
            `this clock says ${moment(now)}, ${origin}'s ${moment(there)}`,
            "Set it by NTP.",
          ),
        ]
      : []),
  ];
}

export async function reachesOf(
  settings: Pick<Settings, "providers" | "proxies">,
): Promise<Finding[]> {
  const outgoing = outgoingOf(settings);
  const found = await Promise.all(settings.providers.map((each) => reachOf(each, outgoing.fetch)));
  await outgoing.close();
  return found.flat();
}

/** Without proxies' users and passwords. */
export function proxiesOf(proxies: Settings["proxies"]): Finding[] {
  if (proxies === null) return [fine("proxy", "none: requests go straight to their hosts")];
  const { http, https, except } = proxies;
  const viaHttps = https ?? http;
  const ways = [
    viaHttps === null ? "https directly" : `https via ${proxyName(viaHttps)}`,
    http === null ? "http directly" : `http via ${proxyName(http)}`,
    `directly to loopback${except === "" ? "" : ` and ${except}`}`,
  ];
  return [fine("proxy", ways.join("; "))];
}
