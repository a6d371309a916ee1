/** The attack: server-side request forgery. Hosts are judged as written: a Worker has no resolver. */
import { boundedUrl, withoutTrailing } from "../bounded-url.ts";
import { memoizedByText } from "../memoized.ts";

const privateNames =
  /(^|\.)(localhost|localdomain[46]?|local|svc|consul|internal|intranet|private|corp|home|lan|home\.arpa)$/i;

// The URL parser has normalized octal, hex and single-number spellings.
function isPrivateIpv4(host: string): boolean {
  const parts = host.split(".").map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part > 255))
    return false;
  const [a = 0, b = 0, c = 0] = parts;
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168) ||
    // Protocol assignments, documentation, 6to4 relay, benchmarks.
    (a === 192 && b === 0 && (c === 0 || c === 2)) ||
    (a === 192 && b === 88 && c === 99) ||
    (a === 198 && (b === 18 || b === 19)) ||
    (a === 198 && b === 51 && c === 100) ||
    (a === 203 && b === 0 && c === 113) ||
    // Azure's metadata and health service.
    host === "168.63.129.16" ||
    a >= 224
  );
}

/**
 * Public: 2000::/3, except Teredo and others (2001::/23), documentation (2001:db8::/32, 3fff::/20) and 6to4
 * (2002::/16).
 */
function isPrivateIpv6(host: string): boolean {
  const [first = "", second = ""] = host.slice(1, -1).split(":");
  if (!/^[23][0-9a-f]{3}$/i.test(first)) return true;
  const [high, low] = [Number.parseInt(first, 16), Number.parseInt(second || "0", 16)];
  return (
    high === 0x2002 ||
    (high === 0x2001 && (low < 0x200 || low === 0xdb8)) ||
    (high === 0x3fff && low < 0x1000)
  );
}

export const isPublicAddress = (address: string): boolean =>
  address.includes(":") ? !isPrivateIpv6(`[${address}]`) : !isPrivateIpv4(address);

const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f.*\])$/;

export const isLoopback = (hostname: string): boolean =>
  loopback.test(withoutTrailing(hostname, "."));

/** Loopback names are equal, and so are the default ports, because a TLS proxy hides which was called. */
function placeOf({ hostname, port }: URL): string {
  const host = withoutTrailing(hostname, ".");
  return `${loopback.test(host) ? "localhost" : host}:${port === "443" ? "" : port.replace(/^80$/, "")}`;
}

const leadsTo = (url: URL, origins: readonly string[]): boolean =>
  origins.some((origin) => {
    const own = URL.parse(origin);
    return own !== null && placeOf(own) === placeOf(url);
  });

export const leadsBack = "It leads back to this router.";

export interface UpstreamRules {
  allowPrivate: boolean;
  /** origins of this router; a request there would loop */
  ownOrigins?: readonly string[];
}

function problemWith(text: string, allow: UpstreamRules): { url: URL } | { problem: string } {
  const url = boundedUrl(text);
  // The parser drops spaces and line breaks, so the entry would show another URL.
  if (url === null || /[^\x21-\x7e]|\\/.test(text))
    return { problem: "Not a URL of at most 2,048 characters." };
  if (url.username !== "" || url.password !== "") return { problem: "A URL holds no credentials." };
  if (text.includes("#")) return { problem: "A URL to be called has no fragment." };
  if (url.protocol !== "https:" && !(allow.allowPrivate && url.protocol === "http:"))
    return {
      problem: "Only https is called, unless the operator sets ALLOW_PRIVATE_UPSTREAMS to true.",
    };
  if (leadsTo(url, allow.ownOrigins ?? [])) return { problem: leadsBack };
  if (allow.allowPrivate) return { url };
  // Without its trailing dot, a name may be an address, so it is parsed again.
  const host = URL.parse(`https://${withoutTrailing(url.hostname, ".")}`)?.hostname ?? "";
  const isPrivate = host.startsWith("[")
    ? isPrivateIpv6(host)
    : privateNames.test(host) || isPrivateIpv4(host) || !host.includes(".");
  return isPrivate
    ? {
        problem:
          "Private addresses are not called, unless the operator sets ALLOW_PRIVATE_UPSTREAMS to true.",
      }
    : { url };
}

export function problemWithEndpoint(text: string, allow: UpstreamRules): string | null {
  const found = problemWith(text, allow);
  return "problem" in found ? found.problem : null;
}

export function problemWithUpstream(text: string, allow: UpstreamRules): string | null {
  const found = problemWith(text, allow);
  if ("problem" in found) return found.problem;
  return found.url.search === "" ? null : "A base URL has no query: secrets belong in headers.";
}

const upstreamProblem = memoizedByText((context) => {
  const [text, allow] = JSON.parse(context) as [string, UpstreamRules];
  return { problem: problemWithUpstream(text, allow) };
});

/** Cached, because every request is checked. */
export const knownProblemWithUpstream = (text: string, allow: UpstreamRules): string | null =>
  upstreamProblem(JSON.stringify([text, allow])).problem;
