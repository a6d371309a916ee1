/** A check of a credential reports whether the key authenticates. */
import { describe, expect, it } from "vitest";
import { checkAndMark } from "../../../../../src/pipeline/admin/models/credential-check.ts";
import { err, ok } from "../../../../../src/domain/result.ts";
import type { LastCheck, Listing } from "../../../../../src/domain/models/model.ts";
import { plainKeys } from "../../../../fakes/plain-keys.ts";
import { model } from "../../../domain/models.fixture.ts";

const catalogue = {
  version: "test",
  models: [
    model("openai/cheapest", { outputUsdPerMTok: 1 }),
    model("openai/cheap", { outputUsdPerMTok: 2 }),
    model("openai/dear", { outputUsdPerMTok: 3 }),
  ],
};

/** A provider that answers each model with a status, and lists some models. */
async function checked(
  statuses: Record<string, number>,
  listed: string[] | null,
  status: "active" | "failing" = "active",
) {
  const asked: string[] = [];
  const kept: Listing[] = [];
  const states: string[] = [];
  const deps = {
    providerKeys: plainKeys(async () => ok("key")),
    now: () => 7,
    ids: { next: () => "evt_1" },
    credentials: {
      keepCheck: async (_: unknown, check: { status: string; lastCheck: LastCheck }) => {
        states.push(`${check.lastCheck.ok ? "works" : "fails"}, ${check.status}`);
        return ok(null);
      },
      keepListing: async (_: unknown, listing: Listing) => {
        kept.push(listing);
        return ok(null);
      },
    },
    providers: {
      listModels: async () => (listed === null ? null : { ids: listed, isComplete: true }),
      complete: async (call: { model: { id: string } }) => {
        asked.push(call.model.id);
        const answered = statuses[call.model.id] ?? 200;
        if (answered === 200) return ok({});
        return err({ kind: answered === 401 ? "auth" : "bad_request", status: answered });
      },
    },
  };
  const credential = { provider: "openai", baseUrl: null, models: null, status };
  const check = await checkAndMark(
    ...([deps, {}, credential, catalogue] as unknown as Parameters<typeof checkAndMark>),
  );
  if (!check.ok) throw new Error(check.error.reason);
  return { ok: check.value.ok, model: check.value.model, asked, kept, states };
}

describe("the check of a key", () => {
  it("asks a model that the provider lists, not one that it has shut down", async () => {
    const found = await checked({ cheapest: 404 }, ["cheap", "dear"]);
    expect(found).toMatchObject({ ok: true, model: "openai/cheap", asked: ["cheap"] });
    expect(found.kept).toEqual([{ at: 7, ids: ["cheap", "dear"] }]);
  });

  it("goes on to the next model where one is not there", async () => {
    const found = await checked({ cheapest: 404 }, null);
    expect(found).toMatchObject({ ok: true, model: "openai/cheap", asked: ["cheapest", "cheap"] });
  });

  it("says that the key is good where all models are gone and the list is there", async () => {
    const gone = { cheapest: 404, cheap: 404, dear: 404 };
    expect((await checked(gone, ["something-else"])).ok).toBe(true);
    expect((await checked(gone, null)).ok).toBe(false);
  });

  it("ends with the first answer that refuses the key", async () => {
    const found = await checked({ cheapest: 401 }, null);
    expect(found).toMatchObject({ ok: false, model: "openai/cheapest", asked: ["cheapest"] });
  });

  it("is followed by the credential's state, which only a rejected key makes failing", async () => {
    expect((await checked({}, null, "failing")).states).toEqual(["works, active"]);
    expect((await checked({ cheapest: 401 }, null)).states).toEqual(["fails, failing"]);
    expect((await checked({ cheapest: 500 }, null)).states).toEqual(["fails, active"]);
    expect((await checked({ cheapest: 500 }, null, "failing")).states).toEqual(["fails, failing"]);
  });
});
