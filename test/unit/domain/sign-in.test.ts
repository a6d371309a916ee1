/** What an identity provider says of a person, as the router takes it. */
import { expect, it } from "vitest";
import { groupsIn, identityIn, type SignIn } from "../../../src/domain/tenancy/sign-in.ts";

const signIn: SignIn = {
  kind: "openid-connect",
  issuer: "https://id.test",
  clientId: "router",
  claim: "groups",
  roles: {},
};

it("takes nobody whose subject holds a control character, which a database might end the text at", () => {
  expect(identityIn({ sub: "kim" }, signIn)).toEqual({ issuer: signIn.issuer, subject: "kim" });
  for (const sub of ["kim\0", "\0", "kim\nlee"]) expect(identityIn({ sub }, signIn)).toBeNull();
});

it("leaves out groups whose names hold one, so that two groups have two budgets", () => {
  expect(groupsIn({ groups: ["a", "a\0b", "b"] }, signIn)).toEqual(["a", "b"]);
});
