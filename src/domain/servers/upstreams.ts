/**
 * Where the router may be told to send requests. The attack: server-side request forgery through a tenant's
 * base URL. Hosts are judged as written. A Worker has no resolver, so a public name that resolves to a private
 * address is not noticed here. A deployed Worker can't reach private networks.
 */
import { boundedUrl, withoutTrailing } from "../bounded-url.ts";
import { rememberedByText } from "../remembered.ts";

const privateNames =
  /(^|\.)(localhost|localdomain[46]?|local|svc|consul|internal|intranet|private|corp|home|lan|home\.arpa)$/i;

// The URL parser has already written every spelling of an address (octal, hex, one number) as four
// numbers.
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
    // Protocol assignments, documentation, the relay of 6to4, benchmarks.
    (a === 192 && b === 0 && (c === 0 || c === 2)) ||
    (a === 192 && b === 88 && c === 99) ||
    (a === 198 && (b === 18 || b === 19)) ||
    (a === 198 && b === 51 && c === 100) ||
    (a === 203 && b === 0 && c === 113) ||
    // The metadata and health service of Azure.
    host === "168.63.129.16" ||
    a >= 224
  );
}

/**
 * Public addresses are 2000::/3, global unicast. Everything else is not: loopback, link-local, unique local,
 * mapped and translated IPv4. Of 2000::/3 these are not public either: 2001::/23 (Teredo and others),
 * 2001:db8::/32 and 3fff::/20 (documentation), 2002::/16 (6to4, which holds an IPv4 address).
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

/** Whether an address, as a resolver gives it, is global unicast. */
export const isPublicAddress = (address: string): boolean =>
  address.includes(":") ? !isPrivateIpv6(`[${address}]`) : !isPrivateIpv4(address);

const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f.*\])$/;

/** Whether a host, as the URL parser writes it, is this machine. */
export const isLoopback = (hostname: string): boolean =>
  loopback.test(withoutTrailing(hostname, "."));

/**
 * Host and port, as far as they tell two routers apart. Every name of this machine is one name. Both default
 * ports are one, because a proxy that ends TLS before the router hides which of them was called.
 */
function placeOf({ hostname, port }: URL): string {
  const host = withoutTrailing(hostname, ".");
  return `${loopback.test(host) ? "localhost" : host}:${port === "443" ? "" : port.replace(/^80$/, "")}`;
}

/** Whether a URL leads to one of these origins, whatever its scheme. */
const leadsTo = (url: URL, origins: readonly string[]): boolean =>
  origins.some((origin) => {
    const own = URL.parse(origin);
    return own !== null && placeOf(own) === placeOf(url);
  });

export const leadsBack = "It leads back to this router.";

/** What may be called, beyond the rules that always hold. */
export interface UpstreamRules {
  allowPrivate: boolean;
  /** where this router itself is reached, since a request there would come back; absent: unknown */
  ownOrigins?: readonly string[];
}

function problemWith(text: string, allow: UpstreamRules): { url: URL } | { problem: string } {
  const url = boundedUrl(text);
  // The parser drops blanks and line ends, so a reader of the entry would see another URL than the
  // one that is called.
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
  // A name may end in a dot. Without the dot it may be an address after all, so it is parsed again.
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

/** What is wrong with an endpoint's URL, which may have a query; null: it may be called. */
export function problemWithEndpoint(text: string, allow: UpstreamRules): string | null {
  const found = problemWith(text, allow);
  return "problem" in found ? found.problem : null;
}

/** What is wrong with an upstream's URL, as a sentence; null: it may be called. */
export function problemWithUpstream(text: string, allow: UpstreamRules): string | null {
  const found = problemWith(text, allow);
  if ("problem" in found) return found.problem;
  return found.url.search === "" ? null : "A base URL has no query: secrets belong in headers.";
}

const upstreamProblem = rememberedByText((context) => {
  const [text, allow] = JSON.parse(context) as [string, UpstreamRules];
  return { problem: problemWithUpstream(text, allow) };
});

/** The same, remembered: the router asks before each request. */
export const knownProblemWithUpstream = (text: string, allow: UpstreamRules): string | null =>
  upstreamProblem(JSON.stringify([text, allow])).problem;
