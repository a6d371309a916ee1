/** Why a network request has no answer, derived from error codes. Error texts may contain URLs and secrets. */

const causesBeforeSending = [
  "dns",
  "refused",
  "unreachable",
  "connect_timeout",
  "tls_expired",
  "tls_untrusted",
  "tls_name",
  "tls_handshake",
  "proxy_unreachable",
  "proxy_refused",
  "not_allowed",
] as const;

export const networkCauses = [
  ...causesBeforeSending,
  "protocol",
  "connection_closed",
  "response_timeout",
  "unknown",
] as const;
export type NetworkCause = (typeof networkCauses)[number];

export interface NetworkFault {
  cause: NetworkCause;
  host: string;
  port: number;
}

const causeTexts: { readonly [C in NetworkCause]: string } = {
  dns: "the host name can't be resolved (DNS)",
  refused: "the connection was refused",
  unreachable: "the address is unreachable",
  connect_timeout: "the connection timed out (TCP or TLS)",
  tls_expired: "the TLS certificate has expired or is not valid yet",
  tls_untrusted:
    "the TLS certificate is not signed by a trusted CA; NODE_EXTRA_CA_CERTS adds a private one",
  tls_name: "the TLS certificate is for another name",
  tls_handshake: "the TLS handshake failed",
  proxy_unreachable: "the proxy of HTTPS_PROXY or HTTP_PROXY can't be reached",
  proxy_refused: "the proxy of HTTPS_PROXY or HTTP_PROXY refused the connection",
  not_allowed: "the router does not call this port or address",
  protocol: "the peer switched to another protocol",
  connection_closed: "the connection was closed",
  response_timeout: "the request timed out",
  unknown: "the connection failed for an unknown reason",
};

export const networkMessage = ({ cause, host, port }: NetworkFault): string =>
  `${host}:${port}: ${causeTexts[cause]}`;

/** Error codes of Node, OpenSSL, undici and `src/node/`. The first matching row wins. */
const rows: readonly [RegExp, NetworkCause][] = [
  [/^PROXY_UNREACHABLE$/, "proxy_unreachable"],
  [/^PROXY_REFUSED$/, "proxy_refused"],
  [/^(ADDRESS_NOT_ALLOWED|PORT_NOT_ALLOWED)$/, "not_allowed"],
  [/^BAD_UPGRADE$/, "protocol"],
  [/^(ENOTFOUND|EAI_\w+)$/, "dns"],
  [/^(ECONNREFUSED|ConnectionRefused)$/, "refused"],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, "unreachable"],
  [/^UND_ERR_CONNECT_TIMEOUT$/, "connect_timeout"],
  [/^ETIMEDOUT$/, "response_timeout"],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, "tls_expired"],
  [/^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, "tls_name"],
  [/^(UNABLE_TO_|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT)/, "tls_untrusted"],
  [/^(ERR_TLS_\w+|ERR_SSL_\w+|EPROTO)$/, "tls_handshake"],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "connection_closed"],
];

const beforeSending: ReadonlySet<NetworkCause> = new Set(causesBeforeSending);

export function* causesOf(thrown: unknown): Generator<object> {
  let current = thrown;
  for (let depth = 0; depth < 8 && typeof current === "object" && current !== null; depth += 1) {
    yield current;
    // Failures of one name's several addresses are usually alike.
    const [first] = "errors" in current && Array.isArray(current.errors) ? current.errors : [];
    current = "cause" in current && current.cause ? current.cause : first;
  }
}

/** Set by hosts on errors of requests of which no byte was sent. */
export interface Unsent {
  requestSent: false;
}

const isMarkedUnsent = (thrown: unknown): boolean =>
  [...causesOf(thrown)].some((cause) => "requestSent" in cause && cause.requestSent === false);

const codeCauseOf = (thrown: unknown): NetworkCause | null => {
  for (const cause of causesOf(thrown)) {
    const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
    const row = rows.find(([pattern]) => pattern.test(code));
    if (row !== undefined) return row[1];
  }
  return null;
};

const isTimeout = (thrown: unknown): boolean =>
  [...causesOf(thrown)].some((cause) => "name" in cause && cause.name === "TimeoutError");

export function networkCauseOf(thrown: unknown): NetworkCause {
  const cause = codeCauseOf(thrown) ?? (isTimeout(thrown) ? "response_timeout" : "unknown");
  return cause === "response_timeout" && isMarkedUnsent(thrown) ? "connect_timeout" : cause;
}

export const isUnsent = (thrown: unknown): boolean =>
  isMarkedUnsent(thrown) || beforeSending.has(codeCauseOf(thrown) ?? "unknown");

const usualPorts: Readonly<Record<string, number>> = { "https:": 443, "http:": 80 };

/** @param url absolute; path, query and user info are omitted */
export function networkFaultAt(url: string, cause: NetworkCause): NetworkFault {
  const { hostname = "", port = "", protocol = "" } = URL.parse(url) ?? {};
  return { cause, host: hostname, port: port === "" ? (usualPorts[protocol] ?? 0) : Number(port) };
}

const peerOf = (url: string): string => {
  const { host, port } = networkFaultAt(url, "unknown");
  return `${host}:${port}`;
};

export const statusReason = (url: string, status: number): string =>
  `${peerOf(url)}: HTTP ${status}`;

export const timeoutReason = (url: string, thrown: unknown): string =>
  networkMessage(networkFaultAt(url, isUnsent(thrown) ? "connect_timeout" : "response_timeout"));

export const noAnswerReason = (url: string, thrown: unknown): string =>
  networkMessage(networkFaultAt(url, networkCauseOf(thrown)));
