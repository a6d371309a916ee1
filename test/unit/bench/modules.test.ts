/** From a CPU profile to the modules of a bundle. */
import { describe, expect, it } from "vitest";
import { modulesByLine, roomOf, spentIn, summed, type Profile } from "../../bench/modules.ts";

const bundle = `"use strict";
// node_modules/drizzle-orm/sql/sql.js
function build() {}
// not a path of a module
// src/store/ledger/ledger.ts
function admit() {}`;

const frame = (functionName: string, lineNumber: number, url = "file:///server.cjs") => ({
  functionName,
  scriptId: url === "" ? "0" : "7",
  url,
  lineNumber,
});

/** admit calls build, and both call a built-in function; 250 µs a sample. */
const profile = (samples: number[], timeDeltas = samples.map(() => 250)): Profile => ({
  nodes: [
    { id: 1, callFrame: frame("(root)", -1, ""), children: [2, 5, 6] },
    { id: 2, callFrame: frame("admit", 5), children: [3, 4] },
    { id: 3, callFrame: frame("build", 2), children: [7] },
    { id: 4, callFrame: frame("stringify", -1, "") },
    { id: 5, callFrame: frame("(idle)", -1, "") },
    { id: 6, callFrame: frame("(garbage collector)", -1, "") },
    { id: 7, callFrame: frame("replace", -1, "") },
  ],
  samples,
  timeDeltas,
});
const sources = new Map([["7", bundle]]);

describe("a bundle", () => {
  it("names the module of each line by the comment above it", () => {
    const drizzle = "node_modules/drizzle-orm/sql/sql.js";
    const ledger = "src/store/ledger/ledger.ts";
    expect(modulesByLine(bundle)).toEqual([null, drizzle, drizzle, drizzle, ledger, ledger]);
  });
});

describe("a profile", () => {
  it("has each module's time, with that of the built-in functions that it calls", () => {
    const spent = spentIn(profile([2, 3, 4, 4, 7]), sources);
    expect(summed(spent, ({ module }) => module)).toEqual([
      { name: "src/store/ledger/ledger.ts", ms: 0.75 },
      { name: "node_modules/drizzle-orm/sql/sql.js", ms: 0.5 },
    ]);
  });

  it("keeps V8's own parts apart", () => {
    const spent = spentIn(profile([5, 6, 6]), sources);
    expect(summed(spent, ({ module }) => module)).toEqual([
      { name: "(garbage collector)", ms: 0.5 },
      { name: "(idle)", ms: 0.25 },
    ]);
  });

  it("counts no sample for longer than two intervals: nothing ran in between", () => {
    const spent = spentIn(profile([2, 2], [250, 90_000]), sources);
    expect(summed(spent, ({ module }) => module)).toEqual([
      { name: "src/store/ledger/ledger.ts", ms: 0.75 },
    ]);
  });

  it("names the script where its text is unknown, and does not take Node's own apart", () => {
    const at = (url: string): string | undefined => {
      const nodes = [{ id: 1, callFrame: frame("fill", 5, url) }];
      return spentIn({ nodes, samples: [1], timeDeltas: [250] }, sources)[0]?.module;
    };
    expect(at("node:internal/deps/undici/undici")).toBe("node:internal/deps/undici/undici");
    expect(at("file:///server.cjs")).toBe("src/store/ledger/ledger.ts");
    expect(spentIn(profile([2]), new Map())[0]?.module).toBe("file:///server.cjs");
  });
});

it.each([
  ["src/store/engines/embedded/thread.ts", "src/store"],
  ["src/worker.ts", "src/worker.ts"],
  ["node_modules/@ai-sdk/openai/dist/index.mjs", "@ai-sdk/openai"],
  ["../../node_modules/.pnpm/zod@4.6.6/node_modules/zod/v4/core/parse.js", "zod"],
  ["node:internal/crypto/util", "Node itself"],
  ["(program)", "(program)"],
])("the room of %s is %s", (module, room) => {
  expect(roomOf(module)).toBe(room);
});
