/** The in-memory ledger of a single writer: whatever happens, they leave the rows that the ledger's own SQL leaves. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTableColumns } from "drizzle-orm";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Mac } from "../../../src/domain/tenancy/mac.ts";
import type { LimitedScope } from "../../../src/domain/limits/limit-checks.ts";
import type { Receipt, Settlement } from "../../../src/domain/audit/record.ts";
import type { Reservation } from "../../../src/domain/ports/ledger.ts";
import type { Stores } from "../../../src/domain/ports/stores.ts";
import {
  calledNames,
  claimNames,
  decidedNames,
  endedNames,
} from "../../../src/store/engines/memory-ledger/texts.ts";
import { openWriter } from "../../../src/store/engines/embedded/connection.ts";
import { migrate } from "../../../src/store/migrations.ts";
import { samplingRequests } from "../../../src/store/schema.ts";
import { createStores } from "../../../src/store/stores.ts";
import { openHeld, type HeldEngine } from "../../setup/held-engine.ts";
import { readMigrations } from "../../setup/migrations.ts";
import {
  anotherKey,
  caller,
  correction,
  event,
  opening,
  reservation,
  session,
  settlement,
  start,
  type Caller,
} from "../store/fixtures.ts";
import { value } from "../store/open.ts";

const second = 1_000;
const keepings = ["memory ledger", "SQL only"] as const;

/** In place, so that two worlds do the same in the same order. */
const mac: Mac = {
  codePrefix: "c1.test.",
  code: async (text) => `c1.test.${createHash("sha256").update(text).digest("hex")}`,
  check: async () => true,
};

interface World {
  engine: HeldEngine;
  stores: Stores;
  receipts: Map<string, Receipt>;
}

function openWorld(path: string, keeping: "memory ledger" | "SQL only"): World {
  const engine = openHeld(path, keeping);
  let nonces = 0;
  const nonce = () => `nonce ${(nonces += 1)}`;
  return {
    engine,
    stores: createStores(engine.db, { nonce, mac, rowMac: mac }),
    receipts: new Map(),
  };
}

const tablesOf = ({ engine }: World): string[] =>
  engine
    .rowsOf("select name from sqlite_master where type = 'table' and name not like 'sqlite%'")
    .map(([name]) => String(name));

const rowsOf = (world: World): Record<string, unknown[][]> =>
  Object.fromEntries(
    tablesOf(world).map((table) => [
      table,
      world.engine
        .rowsOf(`select * from "${table}"`)
        .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    ]),
  );

type Step = (world: World) => Promise<unknown>;

const admitting =
  (reserved: Reservation): Step =>
  async ({ stores, receipts }) => {
    const admission = value(await stores.ledger.admit(reserved));
    if (admission.state === "admitted") receipts.set(reserved.opening.id, admission.receipt);
    return admission;
  };

const settling =
  (reserved: Reservation, now: number, fields: Partial<Settlement> = {}): Step =>
  async ({ stores, receipts }) => {
    const receipt = receipts.get(reserved.opening.id) ?? null;
    return value(await stores.ledger.settle(settlement(reserved, now, { receipt, ...fields })));
  };

/** Nodes of which the row has no column. */
const nodesOf = ({ keyId }: Caller): LimitedScope[] => [
  { scope: "user", subject: "user:ann", limits: { concurrent: 2, usdPerMinute: 0.001 } },
  { scope: "tag", subject: "tag:night", limits: { requestsPerDay: 4, tokensTotal: 2_000 } },
  { scope: "key", subject: keyId, limits: { newRunsPerDay: 1 }, run: `run:${keyId}:one` },
  { scope: "run", subject: `run:${keyId}:one`, limits: { callsPerRun: 3, usdPerRun: 0.004 } },
];

const command = fc.record({
  who: fc.nat(2),
  what: fc.constantFrom(
    ...(["admit", "admit", "admit", "lesser", "lesser", "replay", "session"] as const),
    ...(["settle", "settle", "settle", "keep", "free", "fail", "close"] as const),
    ...(["refuse", "sweep", "correct", "late", "prune", "begin", "rename"] as const),
  ),
  gapMs: fc.constantFrom(0, 0, 1, 700, 20_000, 61_000, -30_000, 0, 0, 1, 700, 90_000_000),
  amount: fc.constantFrom(1, 100, 400, 5_000),
  /** the group of the command before */
  joins: fc.boolean(),
});

type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** What a command does. Everything that has an id is made once, for both worlds. */
function stepsOf(world: { callers: readonly Caller[]; sessionId: string }) {
  const { callers, sessionId } = world;
  const open: Reservation[] = [];
  const versions = new Map<string, number>();
  let now = start;
  const last = (): Reservation | undefined => open[Math.floor(open.length / 2)];
  const ending = (fields: Partial<Settlement>): Step => {
    const [reserved] = open.splice(0, 1);
    return reserved === undefined ? async () => null : settling(reserved, now, fields);
  };
  return ({ who: index, what, gapMs, amount }: Command): Step => {
    now += gapMs;
    const at = now;
    const who = callers[index] as Caller;
    const { tenantId } = who;
    const version = versions.get(tenantId) ?? (index === 2 ? 2 : 3);
    const admitted = (fields: Parameters<typeof reservation>[2] = {}): Step => {
      const nodes = amount === 400 ? nodesOf(who) : [];
      const asking = { tokens: amount, microUsd: amount, tenantVersion: version, nodes, ...fields };
      const reserved = reservation(who, at, asking);
      open.push(reserved);
      return admitting(reserved);
    };
    const scope = `model cred_1 ${index}`;
    const logged = event(tenantId);
    switch (what) {
      case "admit":
        return admitted();
      case "lesser": {
        const nodes = amount === 400 ? nodesOf(who) : [];
        const claim = (size: number, model: string) => {
          const asked = { tokens: size, microUsd: size, nodes };
          const { limitChecks, decision } = reservation(who, at, asked);
          const chosen = { ...decision, model };
          return { limitChecks, reservedTokens: size, reservedMicroUsd: size, decision: chosen };
        };
        const half = claim(Math.ceil(amount / 2), "half");
        const fallbacks = [
          ...(gapMs === 0 ? [half] : []),
          { ...claim(1, "little"), ...(gapMs !== 700 && { shortens: true as const }) },
        ];
        const waits = gapMs === 1 ? { mayWait: true as const } : {};
        return admitted({ tokens: amount + 1, microUsd: amount + 1, fallbacks, ...waits });
      }
      case "replay":
        return admitted({ idempotency: { key: `key ${amount}`, expiresAt: at + 20_000 } });
      case "session":
        return admitted({ sessionId });
      case "settle": {
        const sample = { at, ms: amount, outputTokens: 9 };
        const health = [{ credentialId: "cred_1", model: `openai/${amount}`, sample }];
        return ending({ health, chargedTokens: amount, chargedMicroUsd: amount });
      }
      case "keep":
        return ending({
          captured: "sealed",
          result: { parts: ["one", "two"], expiresAt: at + 90_000 },
          usage: { inputTokens: 1, outputTokens: 2, estimated: true, implausible: true },
        });
      case "free":
        return ending({ result: "free", outcome: "failed", usage: null, costMicroUsd: null });
      case "fail": {
        const fault = { scope, began: at, at, retryAfterMs: null };
        return ending({ outcome: "failed", circuits: [{ closes: [], fault }] });
      }
      case "close":
        return ending({ circuits: [{ closes: [scope, "endpoint x"], fault: null }] });
      case "refuse": {
        const refused = opening(who, at);
        return ({ stores }) => stores.ledger.refuse(refused, "internal", null, null);
      }
      case "sweep":
        return ({ stores }) => stores.ledger.sweep(at);
      case "correct": {
        const found = last();
        const about = { tenantId, id: found?.opening.id ?? "none", correction: correction() };
        return ({ stores }) => stores.ledger.correct(about, logged);
      }
      case "late": {
        const reserved = last();
        if (reserved === undefined) return async () => null;
        return async ({ stores, receipts }) => {
          const receipt = receipts.get(reserved.opening.id) ?? null;
          return stores.ledger.settleSwept(settlement(reserved, at, { receipt }), logged);
        };
      }
      case "prune":
        return ({ stores }) => stores.ledger.prune(at);
      case "begin": {
        const begun = session(tenantId, who.keyId, { createdAt: at, lastUsedAt: at });
        return ({ stores }) => stores.sessions.create(begun);
      }
      case "rename":
        versions.set(tenantId, version + 1);
        return ({ stores }) => stores.tenants.update(tenantId, { name: `${at}` }, logged);
    }
  };
}

/** What the ledger leaves to SQL is written after its group, so an answer of the group may differ. */
const isAlone = ({ what }: Command): boolean => what === "close" || what === "session";

function groupsOf(commands: readonly Command[], world: Parameters<typeof stepsOf>[0]): Step[][] {
  const stepOf = stepsOf(world);
  const groups: Step[][] = [];
  let mayJoin = false;
  for (const each of commands) {
    const step = stepOf(each);
    if (each.joins && mayJoin && !isAlone(each)) groups.at(-1)?.push(step);
    else groups.push([step]);
    mayJoin = !isAlone(each);
  }
  return groups;
}

describe("the in-memory ledger of a single writer", () => {
  const folder = mkdtempSync(join(tmpdir(), "sampling-router-"));
  const template = join(folder, "template.sqlite");
  const limits = {
    requestsPerMinute: 6,
    tokensPerMinute: 900,
    concurrent: 4,
    usdPerDay: 0.01,
    usdPerMonth: 0.02,
  };
  const callers: Caller[] = [];
  let its: ReturnType<typeof session>;
  let files = 0;
  let worlds: World[] = [];

  beforeAll(async () => {
    const world = openWorld(template, "SQL only");
    value(await migrate(world.engine.db, readMigrations()));
    const who = await caller(world.stores, { tenantLimits: limits });
    const keyLimits = { requestsPerMinute: 3, concurrent: 2, usdPerDay: 0.004 };
    const keyId = await anotherKey(world.stores, who.tenantId, keyLimits);
    const other = await caller(world.stores, { keyLimits: { tokensPerMinute: 300 } });
    callers.push(who, { ...who, keyId, keyLimits }, other);
    its = session(who.tenantId, who.keyId);
    value(await world.stores.sessions.create(its));
    world.engine.close();
  });
  const anew = (): void => {
    for (const { engine } of worlds) engine.close();
    files += 1;
    worlds = keepings.map((keeping) => {
      copyFileSync(template, fileOf(keeping));
      return openWorld(fileOf(keeping), keeping);
    });
  };
  const fileOf = (keeping: string): string => join(folder, `${files}-${keeping}.sqlite`);
  beforeEach(anew);
  afterEach(() => {
    for (const { engine } of worlds.splice(0)) engine.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Each group as one transaction in both worlds, with equal answers and equal rows afterwards. */
  const both = async (groups: readonly (readonly Step[])[]): Promise<unknown[][]> => {
    const answers: unknown[][] = [];
    for (const steps of groups) {
      const [kept, plain] = (await Promise.all(
        worlds.map((world) => world.engine.group(steps.map((step) => () => step(world)))),
      )) as [unknown[], unknown[]];
      expect(kept).toEqual(plain);
      answers.push(kept);
    }
    const [kept, plain] = worlds.map(rowsOf);
    expect(kept).toEqual(plain);
    return answers;
  };
  const inBooks = (): number => worlds[0]?.engine.entries() ?? 0;

  const at = (index: number): Caller => callers[index] as Caller;
  const versionOf = (who: Caller): number => (who.tenantId === at(0).tenantId ? 3 : 2);
  const reserve = (who: Caller, now: number, fields: Parameters<typeof reservation>[2] = {}) =>
    reservation(who, now, { tenantVersion: versionOf(who), ...fields });

  it("enter an ordinary call without a statement of the ledger's own", async () => {
    const reserved = reserve(at(1), start);
    const health = [
      {
        credentialId: "cred_1",
        model: "openai/gpt",
        sample: { at: start, ms: 9, outputTokens: 8 },
      },
    ];
    await both([
      [admitting(reserved)],
      [settling(reserved, start + second, { health, chargedTokens: 30 })],
    ]);
    expect(inBooks()).toBe(2);
  });

  it("see in one group what statements before them wrote, and write before statements that follow", async () => {
    const [a, b, c] = [reserve(at(1), start), reserve(at(1), start), reserve(at(1), start)];
    const refused = opening(at(1));
    const steps: Step[] = [
      admitting(b),
      ({ stores }) => stores.ledger.refuse(refused, "internal", null, null),
      settling(a, start + 1),
      ({ stores }) => stores.ledger.sweep(start + 600 * second),
      admitting(c),
      settling(b, start + 2),
      ({ stores }) => stores.ledger.prune(start + 200 * second),
    ];
    await both([[admitting(a)], steps, [admitting(reserve(at(1), start + 3))]]);
    expect(inBooks()).toBeGreaterThan(3);
  });

  it("undo in memory what was undone on the disk, and keep what belongs to others", async () => {
    const [a, b] = [reserve(at(1), start), reserve(at(1), start)];
    // A result that is no text fails in the middle of the settlement, after its row was written.
    const broken = { parts: [null as unknown as string], expiresAt: start };
    const failing: Step = async (world) => {
      const receipt = world.receipts.get(a.opening.id) ?? null;
      const ended = settlement(a, start + 1, { receipt, result: broken });
      return (await world.stores.ledger.settle(ended)).ok;
    };
    const [, answers] = await both([
      [admitting(a)],
      [failing, admitting(b)],
      [settling(a, start + 2)],
    ]);
    expect(answers?.[0]).toBe(false);
  });

  it("notice that somebody else wrote to the file", async () => {
    await both([[admitting(reserve(at(0), start))]]);
    for (const keeping of keepings) {
      const other = openWriter(fileOf(keeping));
      other.exec("update counters set amount = 6 where resource = 'requests'");
      other.close();
    }
    const [[answer]] = (await both([[admitting(reserve(at(0), start))]])) as [[unknown]];
    expect(answer).toMatchObject({ state: "refused", check: { resource: "requests" } });
  });

  it("leave the rows that SQL alone leaves, whatever comes in whatever groups", async () => {
    let entered = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 40 }), async (commands) => {
        anew();
        await both(groupsOf(commands, { callers, sessionId: its.id }));
        entered += inBooks();
      }),
      { numRuns: 40 },
    );
    expect(entered).toBeGreaterThan(100);
  });
});

describe("the ledger's statements", () => {
  it("are the only writers of their tables: no trigger, view or foreign key reaches a table unnamed", () => {
    const files = readMigrations();
    expect(files.length).toBeGreaterThan(0);
    const reaching = /\b(create\s+(temp\s+)?(trigger|view)|references)\b/i;
    expect(files.filter((file) => reaching.test(file.sql)).map(({ name }) => name)).toEqual([]);
  });

  it("write every column of a record that its admission or its end may write", () => {
    const elsewhere = [
      "settlement",
      "firstLease",
      "leaseCode",
      "correction",
      "correctionCode",
      "sealNumber",
      "sealPosition",
      "formerSeal",
      "formerPosition",
    ];
    const written = new Set<string>([
      ...calledNames,
      ...claimNames,
      ...decidedNames,
      ...endedNames,
      ...elsewhere,
    ]);
    expect([...written].toSorted()).toEqual(
      Object.keys(getTableColumns(samplingRequests)).toSorted(),
    );
  });
});
