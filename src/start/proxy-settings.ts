/** The proxies that the environment names, as most programs read it. */
import { err, ok, type Result } from "../domain/result.ts";
import type { ProxySettings } from "../node/proxies.ts";
import type { Environment } from "./provider-settings.ts";

const proxyUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return (url?.protocol === "http:" || url?.protocol === "https:") && url.hostname !== "";
};

/** null: there are none. Names in lower case come first, as in curl. Faults name no value, which may hold a password. */
export function proxySettings(env: Environment): Result<ProxySettings | null, string> {
  const http = env["http_proxy"] ?? env["HTTP_PROXY"] ?? null;
  const https = env["https_proxy"] ?? env["HTTPS_PROXY"] ?? null;
  const except = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  for (const [name, value] of Object.entries({ HTTP_PROXY: http, HTTPS_PROXY: https }))
    if (value !== null && !proxyUrl(value))
      return err(`${name} must be an http: or https: URL, for example http://proxy.example:3128`);
  return ok(http === null && https === null ? null : { http, https, except });
}

/** Host and port of a proxy, without the user and password that its URL may have. */
export const proxyName = (url: string): string => new URL(url).origin;
