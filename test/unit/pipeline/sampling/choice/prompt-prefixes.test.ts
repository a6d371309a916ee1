/** Repeated prompt prefixes are recognized within one tenant, credential and model. */
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../../../src/domain/json.ts";
import { createKeyedHash } from "../../../../../src/crypto/keyed-hash.ts";
import { createPromptPrefixes } from "../../../../../src/pipeline/sampling/choice/prompt-prefixes.ts";

const keyed = (fill: number, derivedFor = "test") =>
  createKeyedHash({ master: new Uint8Array(32).fill(fill), derivedFor });

const hashed = async (fill: number) => {
  const hash = await keyed(fill);
  return (value: JsonValue) => hash(JSON.stringify(value));
};

async function given(bounds: { entriesRemembered?: number; tenantsRemembered?: number } = {}) {
  let time = 1_000_000;
  const prefixes = createPromptPrefixes({
    hash: await hashed(1),
    now: () => time,
    entriesRemembered: 512,
    tenantsRemembered: 256,
    ...bounds,
  });
  return {
    prefixes,
    pass: (ms: number) => (time += ms),
    sees: (
      pieces: string[],
      change: { tenantId?: string; scope?: string[]; messages?: object } = {},
    ) => {
      // Calls one after the other, each answered before the next.
      time += 2_000;
      return prefixes.recall({
        messages: {},
        tenantId: "t1",
        scope: ["c1", "m1"],
        pieces,
        ...change,
      });
    },
  };
}

const minute = 60_000;

describe("prompts that were sent of late", () => {
  it("are recalled by the longest prefix that they share", async () => {
    const { sees } = await given();
    expect(await sees(["tools", "system", "question 1"])).toBe(0);
    expect(await sees(["tools", "system", "question 2"])).toBe(2);
    expect(await sees(["tools", "another", "question 2"])).toBe(1);
    expect(await sees(["tools", "system", "question 1", "answer", "question 3"])).toBe(3);
    expect(await sees(["question 1"])).toBe(0);
  });

  it("are forgotten five minutes after they were last sent", async () => {
    const { sees, pass } = await given();
    await sees(["system"]);
    pass(5 * minute - 2_001);
    expect(await sees(["system"])).toBe(1);
    pass(5 * minute - 2_001);
    expect(await sees(["system"])).toBe(1);
    pass(5 * minute - 2_000);
    expect(await sees(["system"])).toBe(0);
  });

  it("are not another tenant's, another credential's or another model's", async () => {
    const { sees } = await given();
    await sees(["system"]);
    expect(await sees(["system"], { tenantId: "t2" })).toBe(0);
    expect(await sees(["system"], { scope: ["c2", "m1"] })).toBe(0);
    expect(await sees(["system"], { scope: ["c1", "m2"] })).toBe(0);
    expect(await sees(["system"])).toBe(1);
  });

  it("are not repeated by a second attempt of the same call", async () => {
    const { sees } = await given();
    const messages = {};
    expect(await sees(["system"], { messages })).toBe(0);
    expect(await sees(["system"], { messages })).toBe(0);
    expect(await sees(["system"], { messages: {} })).toBe(1);
  });

  it("are not repeated by calls of the same moment, which no cache could serve yet", async () => {
    const { sees, pass } = await given();
    for (let count = 0; count < 5; count += 1) {
      pass(-2_000 + 200);
      expect(await sees(["system"])).toBe(0);
    }
    pass(-2_000 + 200);
    expect(await sees(["system"])).toBe(1);
    pass(-2_000);
    expect(await sees(["system"])).toBe(1);
  });

  it("differ where their parts join to the same text", async () => {
    const { sees } = await given();
    await sees(["ab", "c"]);
    expect(await sees(["a", "bc"])).toBe(0);
    expect(await sees(['ab","c'])).toBe(0);
  });

  it("are recalled at their end however long they are", async () => {
    const { sees } = await given();
    const long = Array.from({ length: 120 }, (_, at) => `piece ${at}`);
    await sees(long);
    expect(await sees([...long, "more"])).toBe(120);
  });

  it("push out the same tenant's oldest alone", async () => {
    const { sees } = await given({ entriesRemembered: 4 });
    await sees(["kept"], { tenantId: "t2" });
    await sees(["oldest"]);
    for (let at = 0; at < 4; at += 1) await sees([`piece ${at}`]);
    expect(await sees(["oldest"])).toBe(0);
    expect(await sees(["kept"], { tenantId: "t2" })).toBe(1);
  });

  it("push out whole tenants, the one that was idle longest", async () => {
    const { sees } = await given({ tenantsRemembered: 2 });
    await sees(["a"], { tenantId: "t1" });
    await sees(["a"], { tenantId: "t2" });
    await sees(["a"], { tenantId: "t1" });
    await sees(["a"], { tenantId: "t3" });
    expect(await sees(["a"], { tenantId: "t1" })).toBe(1);
    expect(await sees(["a"], { tenantId: "t2" })).toBe(0);
  });

  it("have a name that is the same in every isolate of a deployment, and in no other", async () => {
    const nameWith = async (fill: number) =>
      createPromptPrefixes({
        hash: await hashed(fill),
        now: () => 0,
        entriesRemembered: 1,
        tenantsRemembered: 1,
      }).cacheKeyOf({ tenantId: "t1", scope: ["c1"], pieces: ["system"] });
    expect(await nameWith(1)).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(await nameWith(1)).toBe(await nameWith(1));
    expect(await nameWith(1)).not.toBe(await nameWith(2));
  });
});

describe("a keyed hash", () => {
  it("differs by key, by use and by text", async () => {
    const hashes = await Promise.all([
      (await keyed(1))("a"),
      (await keyed(2))("a"),
      (await keyed(1, "another use"))("a"),
      (await keyed(1))("b"),
    ]);
    expect(new Set(hashes).size).toBe(4);
    expect(await (await keyed(1))("a")).toBe(hashes[0]);
  });
});
