import { isIP } from "node:net";
import { err, ok, type Result } from "../domain/result.ts";
import { parseTrustedProxies, type IsTrusted } from "../node/forwarded.ts";
import type { Environment } from "./provider-settings.ts";

export interface ListeningSettings {
  host: string;
  port: number;
  /** as in a local URL */
  urlHost: string;
  /** whose `X-Forwarded-*` are trusted */
  isTrustedProxy: IsTrusted;
  allowPrivateUpstreams: boolean;
  /** creates the tenant `demo` and prints secrets */
  isDemo: boolean;
  /** `null`: pretty on a terminal, else json */
  logFormat: "json" | "pretty" | null;
  drainSeconds: number;
}

const defaultHost = "127.0.0.1";
export const usualPort = 8_787;
const defaultDrainSeconds = "30";
const digits = /^[0-9]{1,5}$/;
const name = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const ownMachine = /^(localhost|127(\.\d+){3}|::1)$/;
const everyAddress: Readonly<Record<string, string>> = { "0.0.0.0": defaultHost, "::": "[::1]" };

const urlHostOf = (host: string): string =>
  everyAddress[host] ?? (isIP(host) === 6 ? `[${host}]` : host);

/** Production output is stored, so it contains no secrets. */
function startsDemo(env: Environment, host: string): Result<boolean, string> {
  const text = env["DEMO"];
  if (text === undefined) return ok(ownMachine.test(host) && env["PUBLIC_URL"] === undefined);
  return text === "true" || text === "false"
    ? ok(text === "true")
    : err("DEMO must be true or false");
}

/** Allowed by default only on loopback. */
function allowsPrivate(env: Environment, host: string): Result<boolean, string> {
  const text = env["ALLOW_PRIVATE_UPSTREAMS"];
  if (text === undefined) return ok(ownMachine.test(host) && env["PUBLIC_URL"] === undefined);
  return text === "true" || text === "false"
    ? ok(text === "true")
    : err("ALLOW_PRIVATE_UPSTREAMS must be true or false");
}

export function parseListening(env: Environment): Result<ListeningSettings, string> {
  const port = env["PORT"] ?? String(usualPort);
  if (!digits.test(port) || Number(port) < 1 || Number(port) > 65_535)
    return err("PORT must be a number from 1 to 65535");
  const host = env["HOST"] ?? defaultHost;
  if (isIP(host) === 0 && !name.test(host))
    return err("HOST must be an address or a name of this machine, such as 0.0.0.0");
  const allowPrivateUpstreams = allowsPrivate(env, host);
  if (!allowPrivateUpstreams.ok) return allowPrivateUpstreams;
  const isDemo = startsDemo(env, host);
  if (!isDemo.ok) return isDemo;
  const logFormat = env["LOG_FORMAT"] ?? null;
  if (logFormat !== null && logFormat !== "json" && logFormat !== "pretty")
    return err("LOG_FORMAT must be json or pretty");
  const isTrustedProxy = parseTrustedProxies(env["TRUSTED_PROXIES"] ?? "");
  if (!isTrustedProxy.ok) return err(`TRUSTED_PROXIES ${isTrustedProxy.error}`);
  const drainSeconds = Number(env["DRAIN_SECONDS"] ?? defaultDrainSeconds);
  if (!(drainSeconds >= 0 && drainSeconds <= 3_600))
    return err("DRAIN_SECONDS must be a number of seconds, at most an hour");
  return ok({
    host,
    port: Number(port),
    urlHost: urlHostOf(host),
    isTrustedProxy: isTrustedProxy.value,
    allowPrivateUpstreams: allowPrivateUpstreams.value,
    isDemo: isDemo.value,
    logFormat,
    drainSeconds,
  });
}
