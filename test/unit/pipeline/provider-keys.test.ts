/** The machine's identity is used only while the operator allows it, also if a token is stored. */
import { expect, it } from "vitest";
import type { SealedCredential } from "../../../src/domain/ports/stores.ts";
import { ok } from "../../../src/domain/result.ts";
import { createGrantMemory, createProviderKeys } from "../../../src/pipeline/provider-keys.ts";

const credential: SealedCredential = {
  id: "cred_1",
  tenantId: "ten_1",
  provider: "bedrock",
  name: "n",
  baseUrl: null,
  status: "active",
  models: null,
  place: { cloud: "bedrock", region: "eu-central-1", geography: null, auth: "hostIdentity" },
  sealed: "sealed",
  createdAt: 0,
  updatedAt: 0,
};

it.each([
  ["allows", null, { ok: true, value: { aws: { accessKeyId: "ASIA" }, apiKey: "" } }],
  [
    "withdrew it from",
    "not allowed",
    { ok: false, error: { kind: "auth", code: "no_host_identity" } },
  ],
])("%s the tenant", async (_, problem, expected) => {
  const token = JSON.stringify({ accessKeyId: "ASIA", secretAccessKey: "s" });
  const memory = createGrantMemory();
  memory.set(credential, { token, expiresAt: 1_000_000, from: "sealed" });
  const keys = createProviderKeys({
    openKey: async () => ok(JSON.stringify({ hostIdentity: true })),
    vault: undefined as never,
    tokens: undefined as never,
    grantFor: undefined as never,
    obtain: undefined as never,
    memory,
    hostIdentityProblem: (tenantId) => (tenantId === "ten_1" ? problem : null),
    now: () => 0,
  });
  expect(await keys.open(credential)).toMatchObject(expected);
});
