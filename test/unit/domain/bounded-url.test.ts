/** URLs from outside are bounded before they are parsed. */
import { describe, expect, it } from "vitest";
import { boundedUrl, withoutTrailing } from "../../../src/domain/bounded-url.ts";
import { problemWithEndpoint } from "../../../src/domain/servers/upstreams.ts";
import { resourceIn } from "../../../src/domain/tenancy/oauth-resources.ts";

describe("a URL that somebody else wrote", () => {
  const path = (length: number): string => `https://a.test/${"x".repeat(length - 15)}`;
  const host = (length: number): string => `https://${"a.".repeat((length - 3) / 2)}com/x`;

  it("is read up to 2,048 characters", () => {
    expect(boundedUrl(path(2_048))?.hostname).toBe("a.test");
    expect(boundedUrl(path(2_049))).toBeNull();
  });

  it("is read up to a host of 253 characters", () => {
    expect(boundedUrl(host(253))?.hostname).toHaveLength(253);
    expect(boundedUrl(host(255))).toBeNull();
  });

  it("is neither called nor a resource beyond that", () => {
    const allow = { allowPrivate: true };
    expect(problemWithEndpoint(path(2_048), allow)).toBeNull();
    for (const text of [path(2_049), host(255), `https://x${".".repeat(60_000)}y/doc`])
      expect(problemWithEndpoint(text, allow)).toBe("Not a URL of at most 2,048 characters.");
    expect(resourceIn(path(2_049), "https://a.test")).toBeNull();
  });
});

it("characters at the end of a text are taken off, and no others", () => {
  expect(withoutTrailing("a..b..", ".")).toBe("a..b");
  expect(withoutTrailing("///", "/")).toBe("");
  expect(withoutTrailing("", "/")).toBe("");
});
