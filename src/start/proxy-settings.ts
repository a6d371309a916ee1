import { err, ok, type Result } from "../domain/result.ts";
import type { ProxySettings } from "../node/proxies.ts";
import type { Environment } from "./provider-settings.ts";

const proxyUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return (url?.protocol === "http:" || url?.protocol === "https:") && url.hostname !== "";
};

/** Lower-case names win, as in curl. Errors omit values, which may contain a password. */
export function proxySettings(env: Environment): Result<ProxySettings | null, string> {
  const http = env["http_proxy"] ?? env["HTTP_PROXY"] ?? null;
  const https = env["https_proxy"] ?? env["HTTPS_PROXY"] ?? null;
  const except = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  for (const [name, value] of Object.entries({ HTTP_PROXY: http, HTTPS_PROXY: https }))
    if (value !== null && !proxyUrl(value))
      return err(`${name} must be an http: or https: URL, for example http://proxy.example:3128`);
  return ok(http === null && https === null ? null : { http, https, except });
}

/** Without user and password. */
export const proxyName = (url: string): string => new URL(url).origin;
