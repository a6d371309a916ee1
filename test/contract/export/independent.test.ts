/** A verifier written from the format's page alone agrees with ours on every changed file. */
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RequestFilter } from "../../../src/domain/audit/record.ts";
import { raw } from "../../../src/store/db.ts";
import { verifyExport, type Verdict } from "../../fakes/independent-verifier.ts";
import { inlineBackend } from "../../setup/inline-backend.ts";
import { caller, opening, reservation, settlement, start } from "../store/fixtures.ts";
import { storesOn, value, type Opened } from "../store/open.ts";
import { retain, sealAll } from "../store/sealing.ts";
import { exportPart, signerOf, verifyParts } from "./exporting.ts";

const dayMs = 86_400_000;
const files = 100;
const backend = inlineBackend();
let opened: Opened;
let keys: Awaited<ReturnType<typeof signerOf>>["keys"];
/** unfiltered, filtered by time, by key and outcome, and with an erased record */
const exports: Record<string, string> = {};

beforeAll(async () => {
  opened = await backend.openMigrated();
  const stores = storesOn(opened.db);
  const signer = await signerOf(7);
  ({ keys } = signer);
  const who = await caller(stores, { policy: { retentionDays: 1 } });
  const { slug } = value(await stores.tenants.byId(who.tenantId)) ?? { slug: "" };
  for (let count = 0; count < 12; count += 1) {
    const at = start + (count < 2 ? 0 : 2 * dayMs) + count;
    const its = reservation(who, at);
    value(await stores.ledger.admit(its));
    value(await stores.ledger.settle(settlement(its, at)));
    value(await stores.ledger.refuse(opening(who, at), "forbidden", "é\n=1", null));
    if (count % 4 === 1) await sealAll(stores, who.tenantId);
  }
  await sealAll(stores, who.tenantId);
  value(await retain(stores, start + 2 * dayMs));
  const filters: Record<string, RequestFilter> = {
    all: {},
    time: { from: start + 2 * dayMs + 5, to: start + 2 * dayMs + 9 },
    members: { key: who.keyId, outcome: "failed,refused" },
    none: { model: "x/none" },
  };
  for (const [name, filter] of Object.entries(filters))
    exports[name] = (await exportPart({ stores, signer }, slug, { filter })).text;
  const erase = sql`delete from sampling_requests where tenant_id = ${who.tenantId}
    and seal_number = 2 and seal_position = 0`;
  value(await opened.db.write([raw(erase)]));
  exports["erased"] = (await exportPart({ stores, signer }, slug)).text;
});
afterAll(() => opened.close());

async function ours(bytes: Uint8Array): Promise<Verdict> {
  const { findings, tampered, erased, nextCursor } = await verifyParts([bytes], keys);
  if (findings.length > 0 || nextCursor !== null) return "changed";
  return tampered.length + erased.length > 0 ? "tampered" : "written";
}
async function both(bytes: Uint8Array): Promise<[Verdict, Verdict]> {
  return [await ours(bytes), verifyExport(bytes, keys)];
}
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Numbers that are the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

function tamper(text: string, pick: (below: number) => number): Uint8Array {
  const lines = text.trimEnd().split("\n");
  const [a, b] = [pick(lines.length), pick(lines.length)];
  const joined = (changed: readonly string[]): Uint8Array => bytesOf(`${changed.join("\n")}\n`);
  switch (pick(6)) {
    case 0: {
      const bytes = bytesOf(text);
      const at = pick(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(8));
      return bytes;
    }
    case 1:
      return joined(lines.toSpliced(a, 1));
    case 2:
      return joined(lines.toSpliced(b, 0, lines[a] ?? ""));
    case 3:
      return joined(lines.with(a, lines[b] ?? "").with(b, lines[a] ?? ""));
    case 4:
      return bytesOf(text).slice(0, pick(bytesOf(text).length));
    default:
      return joined(
        lines.with(
          a,
          JSON.stringify(JSON.parse(lines[a] ?? ""), null, 1 + pick(2)).replaceAll("\n", " "),
        ),
      );
  }
}

/** One file for each member anywhere in it, with that member changed or taken out; lists by their first item. */
function* edited(text: string): Generator<{ what: string; bytes: Uint8Array }> {
  const lines = text.trimEnd().split("\n");
  const seen = new Set<string>();
  for (const [at, line] of lines.entries()) {
    const whole = JSON.parse(line) as Record<string, unknown>;
    const walk = function* (node: unknown, path: string): Generator<string> {
      if (typeof node !== "object" || node === null) return;
      const holder = node as Record<string, unknown>;
      const names = Array.isArray(node) ? Object.keys(node).slice(0, 1) : Object.keys(node);
      for (const name of names) {
        const here = `${path}.${name}`;
        const was = holder[name];
        if (!seen.has(here)) {
          seen.add(here);
          holder[name] = typeof was === "number" ? was + 1 : typeof was === "boolean" ? !was : "x";
          yield here;
          if (!Array.isArray(node)) {
            delete holder[name];
            yield `${here} removed`;
          }
          holder[name] = was;
        }
        yield* walk(was, here);
      }
    };
    const sorted = (node: unknown): unknown =>
      typeof node !== "object" || node === null
        ? node
        : Array.isArray(node)
          ? node.map(sorted)
          : Object.fromEntries(
              Object.entries(node)
                .toSorted(([x], [y]) => (x < y ? -1 : 1))
                .map(([k, v]) => [k, sorted(v)]),
            );
    for (const what of walk(whole, String(whole["kind"])))
      yield {
        what,
        bytes: bytesOf(`${lines.with(at, JSON.stringify(sorted(whole))).join("\n")}\n`),
      };
  }
}

describe("a verifier written from the page alone", () => {
  it("agrees on exports as the router wrote them", async () => {
    for (const name of ["all", "time", "members", "none"])
      expect([name, await both(bytesOf(exports[name] ?? ""))]).toEqual([
        name,
        ["written", "written"],
      ]);
    expect(await both(bytesOf(exports["erased"] ?? ""))).toEqual(["tampered", "tampered"]);
  });

  it(`agrees on ${files} tampered files`, async () => {
    const pick = numbers(41);
    const names = Object.keys(exports);
    let changed = 0;
    for (let count = 0; count < files; count += 1) {
      const name = names[count % names.length] ?? "";
      const bytes = tamper(exports[name] ?? "", pick);
      const [own, other] = await both(bytes);
      expect(`${count} of ${name}: ${own}`).toBe(`${count} of ${name}: ${other}`);
      if (own === "changed") changed += 1;
    }
    expect(changed).toBeGreaterThan(files / 2);
  });

  it("agrees on every member that is edited or removed", async () => {
    let count = 0;
    for (const { what, bytes } of edited(exports["all"] ?? "")) {
      count += 1;
      expect([what, await both(bytes)]).toEqual([what, ["changed", "changed"]]);
    }
    expect(count).toBeGreaterThanOrEqual(146);
  });
});
