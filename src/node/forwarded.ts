/**
 * Applies `X-Forwarded-*` of trusted proxies. The attack: anyone can send them, so they are validated like
 * `Host` (`domain/own-origin.ts`).
 */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { err, ok, type Result } from "../domain/result.ts";

export type IsTrusted = (address: string | undefined) => boolean;

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** IPv4-mapped IPv6 addresses of dual-stack sockets. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

/** For example `10.0.0.7, 172.16.0.0/12, ::1`. */
export function parseTrustedProxies(text: string): Result<IsTrusted, string> {
  const list = new BlockList();
  for (const each of text.split(",").map((part) => part.trim())) {
    if (each === "") continue;
    const [address = "", bits, ...rest] = each.split("/");
    const max = isIP(address) === 6 ? 128 : 32;
    const isRange = bits !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= max;
    if (isIP(address) === 0 || rest.length > 0 || (bits !== undefined && !isRange))
      return err("must be IP addresses or ranges such as 10.0.0.0/8, separated by commas");
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return ok((address) => {
    if (address === undefined) return false;
    const peer = plain(address);
    return isIP(peer) !== 0 && list.check(peer, familyOf(peer));
  });
}

/** The last proxy's value. */
const lastOf = (header: string | string[] | undefined): string | null => {
  const text = Array.isArray(header) ? header.at(-1) : header;
  return text?.split(",").at(-1)?.trim() || null;
};

/** Skips trusted proxies. */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, "headers" | "socket">,
  isTrusted: IsTrusted,
): string {
  const hops = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
  let address = plain(socket.remoteAddress ?? "");
  while (isTrusted(address)) {
    const before = plain(hops.pop()?.trim() ?? "");
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}

const hostname = /^[A-Za-z0-9._-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

export function forwardedUrl(
  { headers, socket, url }: Pick<IncomingMessage, "headers" | "socket" | "url">,
  isTrusted: IsTrusted,
): string | null {
  const proto = lastOf(headers["x-forwarded-proto"]);
  const host = lastOf(headers["x-forwarded-host"]) ?? headers.host ?? "";
  if (proto === null && headers["x-forwarded-host"] === undefined) return null;
  if (!isTrusted(socket.remoteAddress) || !url?.startsWith("/") || !hostname.test(host))
    return null;
  return `${proto === "https" ? "https" : "http"}://${host}${url}`;
}
