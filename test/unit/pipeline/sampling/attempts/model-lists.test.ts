/** When lists of models are read, and what becomes of them. */
import { describe, expect, it } from "vitest";
import {
  createListingTries,
  createModelLists,
  readingLists,
} from "../../../../../src/pipeline/sampling/attempts/model-lists.ts";
import type { FetchedListing } from "../../../../../src/domain/models/listings.ts";
import type { Listing } from "../../../../../src/domain/models/model.ts";
import { err, ok } from "../../../../../src/domain/result.ts";
import { credential as stored } from "../../../../contract/store/fixtures.ts";
import { plainKeys } from "../../../../fakes/plain-keys.ts";

const dayMs = 86_400_000;

function given(read: FetchedListing | null, about: { claims?: boolean; opens?: boolean } = {}) {
  const kept: Listing[] = [];
  const claims: number[] = [];
  const asked: unknown[] = [];
  const time = { now: 1_000, elapsed: 0 };
  const readList = createModelLists({
    credentials: {
      async claimListing(_, { until }) {
        claims.push(until);
        return ok(about.claims ?? true);
      },
      async keepListing(_, listing) {
        kept.push(listing);
        return ok(null);
      },
    },
    providers: {
      async listModels(key) {
        asked.push(key);
        return read;
      },
    },
    providerKeys: plainKeys(async () =>
      about.opens === false ? err("unopenable" as const) : ok("key"),
    ),
    tries: createListingTries(10),
    now: () => time.now,
    elapsed: () => time.elapsed,
  });
  return { readList, kept, claims, asked, time };
}
const whole: FetchedListing = { ids: ["gpt-5"], isComplete: true };

describe("the list of a credential that answered", () => {
  it("is read, and due again after a day", async () => {
    const { readList, kept, claims, asked } = given(whole);
    await readList(stored("ten_1"));
    expect(kept).toEqual([{ at: 1_000, ids: ["gpt-5"] }]);
    expect(claims).toEqual([1_000 + dayMs]);
    expect(asked).toMatchObject([{ provider: "openai", apiKey: "key", baseUrl: null }]);
  });

  it("of a server that lists all that it serves is kept from its own address, and due in an hour", async () => {
    const { readList, kept, claims } = given(whole);
    await readList(stored("ten_1", { provider: "vllm", baseUrl: "http://127.0.0.1:8000/v1" }));
    expect(kept).toHaveLength(1);
    expect(claims).toEqual([1_000 + 3_600_000]);
  });

  it("is looked for once an hour by a process whose memory says that it is due", async () => {
    const { readList, time } = given(whole);
    const its = stored("ten_1");
    expect(readList(its)).not.toBeNull();
    expect(readList(its)).toBeNull();
    time.elapsed = 3_600_001;
    expect(readList(its)).not.toBeNull();
  });

  it.each([
    ["is not due", { listingDueAt: 1_001 }],
    ["is at an address of the tenant's own", { baseUrl: "https://models.test/v1" }],
  ])("is left alone where it %s", (_, fields) => {
    expect(given(whole).readList(stored("ten_1", fields))).toBeNull();
  });

  it("is asked for by one of all processes", async () => {
    const { readList, asked } = given(whole, { claims: false });
    await readList(stored("ten_1"));
    expect(asked).toEqual([]);
  });

  it("is not asked for where the key can't be opened", async () => {
    const { readList, asked } = given(whole, { opens: false });
    await readList(stored("ten_1"));
    expect(asked).toEqual([]);
  });

  it.each([
    ["there is none", null],
    ["it is incomplete", { ids: ["gpt-5"], isComplete: false }],
    ["it is the same", { ids: ["a", "b", "c", "d"], isComplete: true }],
    ["it shrank", { ids: ["a", "b"], isComplete: true }],
  ])("stays as it was where %s", async (_, read) => {
    const { readList, kept } = given(read);
    await readList(stored("ten_1", { listing: { at: 1, ids: ["a", "b", "c", "d"] } }));
    expect(kept).toEqual([]);
  });
});

describe("an attempt", () => {
  const attempted = (isAnswered: boolean) => ({
    attempts: [{ credentialId: "cred_failed" }, { credentialId: "cred_last" }],
    answer: { ok: isAnswered },
  });
  const walk = { credentials: [{ id: "cred_failed" }, { id: "cred_last" }] };

  it.each([
    [
      "was answered has the list read of the credential that answered, behind it",
      true,
      ["cred_last"],
    ],
    ["failed has none read", false, []],
  ])("that %s", async (_, isAnswered, expected) => {
    const read: string[] = [];
    const kept: Promise<unknown>[] = [];
    const never = new Promise<void>(() => {});
    const attempt = readingLists(async () => attempted(isAnswered) as never, {
      readList(credential) {
        read.push(credential.id);
        return never;
      },
      upkeep: (work) => void kept.push(work),
    });
    expect(await attempt(walk as never)).toEqual(attempted(isAnswered));
    expect([read, kept]).toEqual([expected, expected.map(() => never)]);
  });
});
