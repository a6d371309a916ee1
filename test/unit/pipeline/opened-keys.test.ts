/** A provider key is opened once for each snapshot. */
import { describe, expect, it } from "vitest";
import { err, ok } from "../../../src/domain/result.ts";
import type { SealedCredential } from "../../../src/domain/ports/stores.ts";
import { createOpenedKeys } from "../../../src/pipeline/opened-keys.ts";

const credential = (sealed: string): SealedCredential => ({
  id: "cred_1",
  tenantId: "ten_1",
  provider: "openai",
  name: "key",
  baseUrl: null,
  models: null,
  status: "active",
  sealed,
  createdAt: 0,
  updatedAt: 0,
});

function counted() {
  const asked: string[] = [];
  const openKey = createOpenedKeys();
  const vault = {
    open: async (sealed: string) => {
      asked.push(sealed);
      return sealed.includes("broken") ? err("unopenable" as const) : ok(`plain ${sealed}`);
    },
  };
  return { asked, open: (one: SealedCredential) => openKey(one, vault) };
}

describe("a provider's key", () => {
  it("is opened once for the snapshot that holds its seal", async () => {
    const { asked, open } = counted();
    const one = credential("v1.now.a");
    expect([await open(one), await open(one)]).toEqual([
      ok("plain v1.now.a"),
      ok("plain v1.now.a"),
    ]);
    expect(asked).toEqual(["v1.now.a"]);
  });

  it("is opened again with the next snapshot, whatever that one's seal is", async () => {
    const { asked, open } = counted();
    await open(credential("v1.now.a"));
    await open(credential("v1.now.a"));
    expect(await open(credential("v1.now.b"))).toEqual(ok("plain v1.now.b"));
    expect(asked).toEqual(["v1.now.a", "v1.now.a", "v1.now.b"]);
  });

  it("is opened each time while it does not open", async () => {
    const { asked, open } = counted();
    const one = credential("v1.now.broken");
    expect(await open(one)).toEqual(await open(one));
    expect(asked).toHaveLength(2);
  });
});
