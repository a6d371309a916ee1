/** Forwarded addresses count only from trusted proxies. */
import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { clientAddress, forwardedUrl, parseTrustedProxies } from "../../../src/node/forwarded.ts";

const trusting = (text: string) => {
  const parsed = parseTrustedProxies(text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};

describe("TRUSTED_PROXIES", () => {
  it.each([
    ["10.0.0.7", "10.0.0.7", true],
    ["10.0.0.7", "10.0.0.8", false],
    ["10.0.0.0/8, ::1", "10.200.0.1", true],
    ["10.0.0.0/8, ::1", "::1", true],
    ["10.0.0.0/8", "::ffff:10.1.2.3", true],
    ["fd00::/8", "fd12::9", true],
    ["fd00::/8", "10.0.0.1", false],
    ["", "127.0.0.1", false],
    ["10.0.0.0/8", undefined, false],
  ])("%j: %s is believed: %s", (text, address, expected) => {
    expect(trusting(text)(address)).toBe(expected);
  });

  it.each(["proxy.example", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "::1/129"])(
    "%j is a fault",
    (text) => {
      expect(parseTrustedProxies(text).ok).toBe(false);
    },
  );
});

describe("where a request arrived", () => {
  const asked = (headers: Record<string, string>, remoteAddress = "10.0.0.7") =>
    ({
      headers: { host: "127.0.0.1:8787", ...headers },
      url: "/console?a=1",
      socket: { remoteAddress },
    }) as unknown as IncomingMessage;
  const isTrusted = trusting("10.0.0.7");

  it("is what a trusted proxy says", () => {
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "router.example" };
    expect(forwardedUrl(asked(headers), isTrusted)).toBe("https://router.example/console?a=1");
  });

  it("is what the last of several proxies says", () => {
    const headers = {
      "x-forwarded-proto": "http, https",
      "x-forwarded-host": "evil.example, router.example",
    };
    expect(forwardedUrl(asked(headers), isTrusted)).toBe("https://router.example/console?a=1");
  });

  it("keeps its Host where the proxy names the scheme alone", () => {
    const headers = { "x-forwarded-proto": "https", host: "router.example" };
    expect(forwardedUrl(asked(headers), isTrusted)).toBe("https://router.example/console?a=1");
  });

  it("is not what anybody else says", () => {
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "router.example" };
    expect(forwardedUrl(asked(headers, "10.0.0.8"), isTrusted)).toBeNull();
  });

  it.each(["router.example/path", "a@b", "router.example:99999999", "x y"])(
    "is not what is no host: %j",
    (host) => {
      expect(forwardedUrl(asked({ "x-forwarded-host": host }), isTrusted)).toBeNull();
    },
  );

  it("is as it came without such headers", () => {
    expect(forwardedUrl(asked({}), isTrusted)).toBeNull();
  });
});

describe("the address that calls", () => {
  const from = (forwardedFor: string | undefined, peer: string): string =>
    clientAddress(
      {
        headers: forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor },
        socket: { remoteAddress: peer },
      } as unknown as IncomingMessage,
      trusting("10.0.0.0/8"),
    );

  it.each([
    ["the peer's", undefined, "192.0.2.1", "192.0.2.1"],
    ["the peer's, whatever a stranger says", "198.51.100.7", "192.0.2.1", "192.0.2.1"],
    ["what a trusted proxy says", "198.51.100.7", "10.0.0.1", "198.51.100.7"],
    [
      "what the outermost trusted proxy says",
      "1.1.1.1, 198.51.100.7, 10.0.0.2",
      "10.0.0.1",
      "198.51.100.7",
    ],
    ["the proxy's, where the proxy says nothing", undefined, "10.0.0.1", "10.0.0.1"],
    ["the proxy's, where the proxy says no address", "unknown", "::ffff:10.0.0.1", "10.0.0.1"],
  ])("is %s", (_, forwardedFor, peer, address) => {
    expect(from(forwardedFor, peer)).toBe(address);
  });
});
