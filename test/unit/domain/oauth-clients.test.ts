/** A policy admits OAuth clients by the domain that describes them. */
import { describe, expect, it } from "vitest";
import { domainOf, mayConnect } from "../../../src/domain/tenancy/oauth-clients.ts";

describe("the domain of an OAuth client", () => {
  const self = { clientDomain: null, redirectHost: "app.example.com", redirectIsLoopback: false };

  it("is that of the document which describes the client", () => {
    expect(domainOf({ ...self, clientDomain: "claude.ai" })).toBe("claude.ai");
  });

  it("is where the browser goes on, if the client registered itself", () => {
    expect(domainOf(self)).toBe("app.example.com");
  });

  it.each(["127.0.0.1", "localhost", "[::1]"])(
    "is localhost for a client at %s",
    (redirectHost) => {
      expect(domainOf({ ...self, redirectHost, redirectIsLoopback: true })).toBe("localhost");
    },
  );
});

describe("a policy about OAuth clients", () => {
  it("that says nothing lets in every client", () => {
    expect(mayConnect({}, "anything.test")).toBe(true);
  });

  it("that allows an empty list lets in none", () => {
    expect(mayConnect({ allowedDomains: [] }, "anything.test")).toBe(false);
  });

  it.each([
    ["example.com", true],
    ["EXAMPLE.com.", true],
    ["a.example.com", false],
    ["notexample.com", false],
    ["a.wild.test", true],
    ["a.b.wild.test", true],
    ["wild.test", false],
    ["notwild.test", false],
  ])("that allows a domain, and all below another, says of %s: %s", (domain, may) => {
    expect(mayConnect({ allowedDomains: ["Example.com", "*.wild.test"] }, domain)).toBe(may);
  });

  it("denies before it allows", () => {
    const policy = { allowedDomains: ["*.wild.test"], deniedDomains: ["bad.wild.test"] };
    expect(mayConnect(policy, "good.wild.test")).toBe(true);
    expect(mayConnect(policy, "bad.wild.test")).toBe(false);
  });
});
