/**
 * Where the router may be told to send requests. Names the attack: server-side request forgery through
 * a tenant's base URL. Hosts are judged as written; a deployed Worker can't reach private networks by
 * name, so a public name that resolves to a private address leads nowhere.
 */
const privateNames = /(^|\.)(localhost|local|internal|home\.arpa)$/i;

function isPrivateIpv4(host: string): boolean {
  const parts = host.split(".").map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part > 255))
    return false;
  const [a = 0, b = 0] = parts;
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || b === 0)) ||
    (a === 198 && (b === 18 || b === 19)) ||
    a >= 224
  );
}

// Global unicast is 2000::/3; everything else (loopback, link-local, unique local, mapped IPv4) is not public.
const isPrivateIpv6 = (host: string): boolean => !/^\[[23][0-9a-f]{3}:/i.test(host);

/** What is wrong with an upstream's URL, as a sentence; null if it may be called. */
export function problemWithUpstream(
  text: string,
  { allowPrivate }: { allowPrivate: boolean },
): string | null {
  const url = URL.parse(text);
  if (url === null) return "Not a URL.";
  if (url.username !== "" || url.password !== "") return "A URL holds no credentials.";
  if (url.search !== "" || url.hash !== "") return "A base URL has no query and no fragment.";
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:"))
    return "Only https is called.";
  if (allowPrivate) return null;
  const host = url.hostname.replace(/\.+$/, "");
  const isPrivate = host.startsWith("[")
    ? isPrivateIpv6(host)
    : privateNames.test(host) || isPrivateIpv4(host) || !host.includes(".");
  return isPrivate ? "Private addresses are not called." : null;
}
