/** Sealed values count only under the version and the context that they were sealed with. */
import { describe, expect, it } from "vitest";
import { firstState, providerKeyOf } from "../../../src/domain/tenancy/sealing.ts";
import { isSameDestination, secretsOf } from "../../../src/domain/servers/server.ts";
import { server } from "../../contract/store/fixtures.ts";

describe("a master key's first time in a database", () => {
  it.each([
    [{ hasOthers: false }, "done"],
    [{ hasOthers: true }, "keys"],
  ])("%j", (found, step) => {
    expect(firstState("b", { ...found, now: 5 })).toEqual({ keyId: "b", step, since: 5 });
  });
});

describe("what a seal names", () => {
  it("is the base URL of a credential, or that there is none", () => {
    const its = { tenantId: "ten_1", provider: "openai", id: "cred_1" };
    expect(providerKeyOf({ ...its, baseUrl: null }).destination).toBe("default");
    expect(providerKeyOf({ ...its, baseUrl: "https://a.test/v1" }).destination).toBe(
      "https://a.test/v1",
    );
  });

  it("is every URL of a server's entry to which a secret goes", () => {
    const client = {
      grant: "authorization_code",
      clientId: "c",
      hasSecret: true,
      tokenEndpoint: "https://as.test/token",
      authorizationEndpoint: "https://as.test/authorize",
      scope: null,
      resource: null,
    } as const;
    const its = server("ten_1", { url: "https://mcp.test/one", oauth: client });
    const others = [
      { ...its, url: "https://mcp.test/two" },
      { ...its, oauth: null },
      { ...its, oauth: { ...client, tokenEndpoint: "https://as.test/other" } },
      { ...its, oauth: { ...client, authorizationEndpoint: null } },
    ];
    for (const other of others) {
      expect(isSameDestination(its, other)).toBe(false);
      expect(secretsOf(other).destination).not.toBe(secretsOf(its).destination);
    }
    expect(isSameDestination(its, { ...its, oauth: { ...client, scope: "more" } })).toBe(true);
  });
});
