/** Promises that whatever MCP allows is taken by each wire, or excluded before it is sent, with a reason. */
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { isObject, own, type JsonObject } from "../../../src/domain/json.ts";
import {
  checkToolHistory,
  type SamplingCall,
  type ToolUseBlock,
} from "../../../src/domain/sampling/call.ts";
import { demandsOf, misfitOf } from "../../../src/domain/wires/demands.ts";
import { modernCodec } from "../../../src/mcp/rev2026/codec.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import { strictWires, toolsIn } from "../../fakes/strict-wires.ts";
import type { Said } from "../../fakes/wire-answers.ts";
import { strictFetch } from "../../fakes/wire-server.ts";
import { modelOf, requestOf } from "../../fixtures/providers/calls.ts";
import { drawnParams } from "../../fixtures/wires/drawn-params.ts";

type At = (typeof strictWires)[number];

async function ask(at: At, call: SamplingCall, said?: (body: JsonObject) => Said) {
  const strict = strictFetch(at.wire, said);
  const providers = createProviders({ fetch: strict.fetch, demo: false, now: () => 0 });
  const result = await providers.complete(
    requestOf(at, { baseUrl: "http://127.0.0.1:1/v1", call }),
  );
  return { result, refusals: strict.refusals };
}

const exclusionOf = (at: At, call: SamplingCall) =>
  misfitOf(modelOf(at.provider, at.model), demandsOf(call) ?? {});

/** The caller's name of a property that a wire got under an alias. */
const calledName = (name: string, schema: unknown): string =>
  /^Named "(.*)"\./su.exec(String(own(schema, "description") ?? ""))?.[1] ?? name;

/** The call that a caller's params mean; null: it is refused before any model is chosen. */
function decodedOf(g: fc.GeneratorValue): SamplingCall | null {
  const decoded = modernCodec.decodeCall(drawnParams(g));
  return decoded.ok && checkToolHistory(decoded.value.messages).ok ? decoded.value : null;
}

// Shrinking what an imperative generator drew takes minutes.
const settings = { endOnFailure: true } as const;
const counted = { asked: 0, others: 0, uses: 0 };

describe.each(strictWires)("$wire", (at) => {
  it("takes any call, or is excluded before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (g) => {
        const call = decodedOf(g);
        if (call === null || exclusionOf(at, call) !== null) return void (counted.others += 1);
        counted.asked += 1;
        const { result, refusals } = await ask(at, call);
        expect(refusals).toEqual([]);
        expect(result).toMatchObject({ ok: true });
      }),
      { ...settings, numRuns: 60 },
    );
  });

  it("gives tool uses the caller's names of tools and arguments", async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.nat(3), async (g, place) => {
        const call = decodedOf(g);
        if (call === null || exclusionOf(at, call) !== null) return;
        const names = [...new Set(call.tools.map(({ name }) => name.toWellFormed()))];
        const asked = names[place];
        if (asked === undefined || call.toolChoice === "none") return;
        counted.uses += 1;
        let expected: JsonObject = {};
        const { result } = await ask(at, call, (body) => {
          const sent = toolsIn(body)[place];
          const properties = own(sent?.schema, "properties");
          const [member] = isObject(properties) ? Object.entries(properties) : [];
          const input = member === undefined ? {} : { [member[0]]: "five" };
          if (member !== undefined) expected = { [calledName(...member)]: "five" };
          return { toolUse: { id: "call_1", name: sent?.name ?? "", input } };
        });
        const use = result.ok ? (result.value.content[0] as ToolUseBlock) : null;
        expect([use?.type, use?.name, use?.input]).toEqual(["tool_use", asked, expected]);
      }),
      { ...settings, numRuns: 40 },
    );
  });
});

afterAll(() => {
  // Most of what is drawn has to reach the wires.
  expect(counted.asked).toBeGreaterThan(counted.others);
  expect(counted.uses).toBeGreaterThan(40);
});
