/** Requests through proxies of the environment, except to loopback. */
import { EnvHttpProxyAgent, Pool, type Agent, type buildConnector, type Dispatcher } from "undici";

export interface ProxySettings {
  /** for http, and https if `https` is `null` */
  http: string | null;
  https: string | null;
  /** as in NO_PROXY */
  except: string;
}

const loopback = "localhost,127.0.0.1,[::1]";
/** undici's proxy errors, which have no codes. */
const refused = /^Proxy (response \(\d+\)|Authentication Required)/;

/** Marks errors of the proxy connection, since codes such as ECONNREFUSED don't. */
const marking =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error === null) return callback(null, socket);
      const message = "The proxy is unreachable.";
      const marked = new Error(message, { cause: error });
      callback(Object.assign(marked, { code: "PROXY_UNREACHABLE" }), null);
    });

/** @param direct unproxied connections, and all timeouts */
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
    // Otherwise undici reads the environment.
    httpProxy: http ?? "",
    httpsProxy: https ?? "",
    noProxy: except === "*" ? "*" : `${loopback},${except}`,
    // Proxies usually allow CONNECT only to port 443.
    proxyTunnel: false,
    clientFactory: poolOf,
    factory: poolOf,
  });
}

export function withProxyCode(thrown: unknown): unknown {
  for (const each of [thrown, thrown instanceof Error ? thrown.cause : null])
    if (each instanceof Error && refused.test(each.message))
      Object.assign(each, { code: "PROXY_REFUSED" });
  return thrown;
}
