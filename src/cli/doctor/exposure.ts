/** Who can reach the router, and what it may reach, by its settings. */
import type { Settings } from "../../start/settings.ts";
import { faulty, fine, warning, type Finding } from "./finding.ts";

const check = "exposure";
const ownMachine = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/;
/** Characters of an unguessable token; generated ones have 47. */
const soundToken = 32;

const publicUrls = ({ passedOn }: Settings): URL[] =>
  (passedOn["PUBLIC_URL"] ?? "").split(",").flatMap((text) => URL.parse(text.trim()) ?? []);

function* faultsOf(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): Generator<Finding> {
  const urls = publicUrls(settings);
  const isOpen = !ownMachine.test(settings.host);
  const plain = urls.find(
    ({ protocol, hostname }) => protocol === "http:" && !ownMachine.test(hostname),
  );
  if (plain !== undefined)
    yield faulty(
      check,
      `PUBLIC_URL ${plain.origin} has no TLS: keys and prompts are sent unencrypted`,
      "Put a gateway with TLS in front of the router, and set PUBLIC_URL to its https: URL.",
    );
  if (isOpen && urls.length === 0)
    yield warning(
      check,
      `HOST ${settings.host} serves a network, without TLS and without a PUBLIC_URL`,
      "Set HOST=127.0.0.1, or put a gateway with TLS in front of it and set PUBLIC_URL.",
    );
  if (urls.length > 0 && !(env["TRUSTED_PROXIES"] ?? ""))
    yield warning(
      check,
      "PUBLIC_URL is set without TRUSTED_PROXIES: the gateway's forwarding headers are ignored",
      "Set TRUSTED_PROXIES to the gateway's addresses, such as 127.0.0.1.",
    );
  const isServed = isOpen || urls.length > 0;
  if (isServed && settings.allowPrivateUpstreams)
    yield warning(
      check,
      "ALLOW_PRIVATE_UPSTREAMS=true on a router that serves others: tenant administrators can make it call this network",
      "Unset it, or give the scope tenant-admin only to people who may reach this network.",
    );
  if (isServed && settings.adminToken !== undefined && settings.adminToken.length < soundToken)
    yield warning(
      check,
      `ADMIN_TOKEN has fewer than ${soundToken} characters on a router that serves others`,
      "Use a longer one: openssl rand -base64 32.",
    );
}

export function exposureOf(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): Finding[] {
  const found = [...faultsOf(settings, env)];
  const at = publicUrls(settings).map(({ origin }) => origin);
  const where = [`${settings.host}:${settings.port}`, ...at].join(", ");
  return found.length > 0 ? found : [fine(check, `reached at ${where}`)];
}
