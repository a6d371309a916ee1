/** Requests by way of the proxies that the environment names. Hosts on loopback are asked without one. */
import { EnvHttpProxyAgent, Pool, type Agent, type buildConnector, type Dispatcher } from "undici";

export interface ProxySettings {
  /** URL for http, and for https where `https` is null; null: none */
  http: string | null;
  /** URL for https */
  https: string | null;
  /** hosts that are asked without a proxy, as in NO_PROXY */
  except: string;
}

const loopback = "localhost,127.0.0.1,[::1]";
/** undici's messages for what a proxy refuses: it gives them no codes of their own. */
const refused = /^Proxy (response \(\d+\)|Authentication Required)/;

/** Marks what fails on the way to the proxy, since codes such as ECONNREFUSED don't tell whose they are. */
const marking =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error === null) return callback(null, socket);
      const message = "The proxy can't be reached.";
      const marked = new Error(message, { cause: error });
      callback(Object.assign(marked, { code: "PROXY_UNREACHABLE" }), null);
    });

/** @param direct for connections without a proxy, and for all time limits */
export function createProxyAgent(
  { http, https, except }: ProxySettings,
  direct: Agent.Options,
): Dispatcher {
  const origins = new Set(
    [http, https].flatMap((each) => (each === null ? [] : new URL(each).origin)),
  );
  const { connect: _, ...limits } = direct;
  const poolOf = (origin: string | URL, options: object): Pool => {
    const { connect } = options as { connect?: buildConnector.connector };
    const isProxy = typeof connect === "function" && origins.has(new URL(origin).origin);
    const marked = isProxy ? { connect: marking(connect) } : {};
    return new Pool(origin, { ...limits, ...options, ...marked });
  };
  return new EnvHttpProxyAgent({
    ...direct,
    // Empty and not absent: undici would read the environment.
    httpProxy: http ?? "",
    httpsProxy: https ?? "",
    noProxy: except === "*" ? "*" : `${loopback},${except}`,
    // Proxies commonly take CONNECT for port 443 alone.
    proxyTunnel: false,
    clientFactory: poolOf,
    factory: poolOf,
  });
}

/** Gives the refusal of a proxy a code. */
export function withProxyCode(thrown: unknown): unknown {
  for (const each of [thrown, thrown instanceof Error ? thrown.cause : null])
    if (each instanceof Error && refused.test(each.message))
      Object.assign(each, { code: "PROXY_REFUSED" });
  return thrown;
}
