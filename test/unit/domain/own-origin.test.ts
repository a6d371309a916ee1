/** What the router believes of where it is. */
import { describe, expect, it } from "vitest";
import { isOwnOrigin, ownOriginOf } from "../../../src/domain/servers/own-origin.ts";

const named = ["https://router.example", "https://old.example:8443"];

describe("without PUBLIC_URL", () => {
  const asked = (url: string) => ({ url, publicOrigins: [] });

  it.each([
    ["http://127.0.0.1:8787/x", "http://127.0.0.1:8787"],
    ["http://localhost:8787/x", "http://localhost:8787"],
    // A forwarded port, and another address of the own machine.
    ["http://localhost:9000/x", "http://localhost:9000"],
    ["http://127.0.0.2/x", "http://127.0.0.2"],
    ["http://[::1]:8787/x", "http://[::1]:8787"],
    ["http://0x7f.1:8787/x", "http://127.0.0.1:8787"],
  ])("the own machine is believed: %s", (url, origin) => {
    expect(ownOriginOf(asked(url))).toBe(origin);
    expect(isOwnOrigin(origin, asked(url))).toBe(true);
  });

  it.each([
    "http://evil.example/",
    "https://evil.example/",
    "http://evil.example:8787/",
    "http://localhost.evil.example:8787/",
    "http://127.0.0.1.evil.example/",
    "http://evil.localhost:8787/",
    "http://localhost.:8787/",
    "http://0.0.0.0:8787/",
    "http://192.168.0.2:8787/",
    "http://[::ffff:127.0.0.1]:8787/",
  ])("nothing else is: %s", (url) => {
    expect(ownOriginOf(asked(url))).toBeNull();
    expect(isOwnOrigin(new URL(url).origin, asked(url))).toBe(false);
  });

  it("a page at another port, scheme or name of the own machine is not the router's", () => {
    const url = "http://localhost:8787/";
    for (const origin of [
      "http://localhost:3000",
      "https://localhost:8787",
      "http://127.0.0.1:8787",
    ])
      expect(isOwnOrigin(origin, asked(url))).toBe(false);
    expect(isOwnOrigin("null", asked(url))).toBe(false);
  });
});

describe("with PUBLIC_URL", () => {
  const asked = (url: string) => ({ url, publicOrigins: named });

  it("the router's origin is the named one that was asked, else the first of them", () => {
    expect(ownOriginOf(asked("https://old.example:8443/a"))).toBe(named[1]);
    for (const url of ["https://evil.example/", "http://127.0.0.1:8787/", "http://router.example/"])
      expect(ownOriginOf(asked(url))).toBe(named[0]);
  });

  it("pages of the named origins are the router's own, whatever name a gateway uses", () => {
    for (const origin of named)
      expect(isOwnOrigin(origin, asked("http://10.0.0.1:8787/"))).toBe(true);
    expect(isOwnOrigin("https://evil.example", asked("https://evil.example/"))).toBe(false);
    expect(isOwnOrigin("http://localhost:8787", asked("http://localhost:8787/"))).toBe(true);
  });
});
