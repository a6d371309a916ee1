/** Tenants with databases of their own, on three real databases: created, deleted and listed, also when an invocation is cut anywhere. */
import type { AsyncResult } from "../../../src/domain/refusals.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createIds } from "../../../src/domain/tenancy/ids.ts";
import type { Stores, Tenant } from "../../../src/domain/ports/stores.ts";
import { ok } from "../../../src/domain/result.ts";
import type { Residency } from "../../../src/domain/tenancy/residency.ts";
import { databaseOf } from "../../../src/domain/tenancy/database-names.ts";
import { createInHome, createPlacing } from "../../../src/pipeline/admin/tenants/placing.ts";
import { createAdminFor, type AdminDatabase } from "../../../src/pipeline/admin/by-tenant.ts";
import { createDeliveryJob } from "../../../src/pipeline/scheduled/deliver.ts";
import { createAdminUseCases } from "../../../src/pipeline/admin/use-cases.ts";
import type { Database } from "../../../src/store/db.ts";
import { tenants } from "../../../src/store/schema.ts";
import { createReadiness } from "../../../src/store/migrations.ts";
import { inlineBackend } from "../../setup/inline-backend.ts";
import { expectPages } from "../store/pages.ts";
import { storesOn, value, type Opened } from "../store/open.ts";

const names = ["home", "eu", "us"];
const operator = { kind: "operator" } as const;
let opened: Map<string, Opened>;

beforeEach(async () => {
  opened = new Map();
  for (const name of names) opened.set(name, await inlineBackend().openMigrated());
});
afterEach(async () => {
  for (const { close } of opened.values()) await close();
});

/** Where an invocation is cut off: at its n-th exchange with any database, before it or after it. */
interface Cut {
  at: number;
  when: "before" | "after";
}

let now = 1_800_000_000_000;

let created = 0;
const nextDatabase = (): string => names[(created += 1) % names.length] ?? "home";

/** One invocation over the databases; `seen` counts its exchanges with each. */
function invocation(
  about: {
    cut?: Cut;
    hold?: { at: number; until: Promise<void> };
    /** databases that the deployment has */
    known?: readonly string[];
    /** all tenants share `home` */
    isShared?: boolean;
    down?: string;
  } = {},
) {
  const { cut, down, hold } = about;
  const known = about.known ?? names;
  let wanted: string | undefined;
  const seen: string[] = [];
  const exchange = async <T>(name: string, work: () => AsyncResult<T>): AsyncResult<T> => {
    seen.push(name);
    const isCut = seen.length === cut?.at;
    if (seen.length === hold?.at) await hold.until;
    if (isCut && cut?.when === "before") throw new Error("cut");
    if (name === down) return { ok: false, error: { reason: "unavailable", retryAfterMs: 1 } };
    const answer = await work();
    if (isCut) throw new Error("cut");
    return answer;
  };
  const made = new Map<string, AdminDatabase & { stores: Stores }>();
  const of = (name: string): (AdminDatabase & { stores: Stores }) | null => {
    const real = opened.get(name)?.db;
    if (!known.includes(name) || real === undefined) return null;
    const before = made.get(name);
    if (before !== undefined) return before;
    const db: Database = {
      builder: real.builder,
      read: (work) => exchange(name, () => real.read(work)),
      write: (statements) => exchange(name, () => real.write(statements)),
      probe: real.probe,
    };
    const stores = storesOn(db);
    const ids = createIds({
      now: () => (now += 1),
      randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
      database: name,
    });
    const database = {
      name,
      ids,
      stores,
      deliver:
        name === "home"
          ? async () => ok(0)
          : createDeliveryJob({
              database: name,
              outbox: stores.outbox,
              deliveries: { enter: (...given) => home.stores.deliveries.enter(...given) },
              now: () => now,
            }),
      readiness: createReadiness(db, []),
      admin: createAdminUseCases({
        ...stores,
        ids,
        now: () => now,
        tokens: undefined as never,
        vault: undefined as never,
        userHash: undefined as never,
        readContent: undefined as never,
        endHeld: undefined as never,
        editHeldCall: undefined as never,
        slotsOf: undefined as never,
        sendWebhooks: undefined as never,
        sendOnce: undefined as never,
        publicUrl: null,
        requestFeeds: undefined as never,
        newWebhookSecret: undefined as never,
        rejected: async () => {},
        keyCodes: undefined as never,
        providers: undefined as never,
        providerKeys: undefined as never,
        catalogue: undefined as never,
        allowPrivateUpstreams: true,
        ownOrigins: [],
        roomNow: null,
        grants: () => null,
        hashing: undefined as never,
        signer: undefined as never,
        verify: undefined as never,
        mac: undefined as never,
        rolloutMs: 0,
        keyMac: undefined as never,
        idOfPublicKey: undefined as never,
        log: undefined as never,
        catalogueSync: undefined as never,
        oauth: undefined as never,
        identity: undefined as never,
        upstream: undefined as never,
        probe: undefined as never,
        nonce: undefined as never,
        wait: undefined as never,
        sha256Hex: undefined as never,
        isSame: undefined as never,
      }),
    };
    made.set(name, database);
    return database;
  };
  const found = of("home");
  if (found === null) throw new Error("no home");
  const home = found;
  const adminFor = createAdminFor({
    databases: {
      home,
      of,
      newDatabase: about.isShared === true ? null : () => ok(wanted ?? nextDatabase()),
    },
    placements: home.stores.placements,
  });
  const operators = async (slug: string | null) => {
    const admin = await adminFor(operator, slug);
    return admin.ok ? admin.value : admin;
  };
  return {
    seen,
    async create(slug: string, database?: string): AsyncResult<Tenant> {
      wanted = database;
      const admin = value(await adminFor(operator, null));
      return admin.tenants.create(operator, { slug, name: slug });
    },
    async remove(slug: string): AsyncResult<null> {
      const admin = await operators(slug);
      return "ok" in admin ? admin : admin.tenants.remove(operator, slug);
    },
    async get(slug: string): AsyncResult<Tenant> {
      const admin = await operators(slug);
      return "ok" in admin ? admin : admin.tenants.get(operator, slug);
    },
    list: async (page = { cursor: null as string | null, limit: 100 }) =>
      value(await adminFor(operator, null)).tenants.list(operator, page),
    events: async (page = { cursor: null as string | null, limit: 100 }) =>
      value(await adminFor(operator, null)).records.events(operator, page),
    placement: (slug: string) => home.stores.placements.bySlug(slug),
    /** What the scheduled job does within a minute. */
    async deliver(): Promise<void> {
      for (const name of known) while (value((await of(name)?.deliver()) ?? ok(0)) > 0);
    },
  };
}

const conflict = { ok: false, error: { reason: "conflict" } };
const slugsOf = async (): Promise<string[]> => {
  await invocation().deliver();
  return value(await invocation().list())
    .data.map(({ slug }) => slug)
    .toSorted();
};

describe("a tenant is created", () => {
  it("where it was asked for, and its ids say so", async () => {
    for (const name of names) {
      const made = value(await invocation().create(`on-${name}`, name));
      expect(databaseOf(made.id)).toBe(name);
      const there = await opened
        .get(name)
        ?.db.read(async (builder) => builder.select({ slug: tenants.slug }).from(tenants));
      expect(value(there ?? ok([])).map(({ slug }) => slug)).toEqual([`on-${name}`]);
      expect(value(await invocation().get(`on-${name}`))).toEqual(made);
    }
  });

  it("once for a slug, of 16 at once on any databases", async () => {
    const wanted = [undefined, "eu", "us", "home"];
    for (let round = 0; round < 5; round += 1) {
      const slug = `wanted-${round}`;
      const ends = await Promise.all(
        Array.from({ length: 16 }, (_, at) => invocation().create(slug, wanted[at % 4])),
      );
      expect(ends.filter((end) => end.ok)).toHaveLength(1);
      expect(ends.filter((end) => !end.ok && end.error.reason === "conflict")).toHaveLength(15);
    }
    expect(await slugsOf()).toEqual([0, 1, 2, 3, 4].map((round) => `wanted-${round}`));
  });

  it("with a slug that neither the directory nor `home` has already", async () => {
    value(await invocation({ isShared: true }).create("old"));
    expect(await invocation().create("old", "eu")).toMatchObject(conflict);
    value(await invocation().create("new", "eu"));
    expect(await invocation().create("new", "us")).toMatchObject(conflict);
    expect(value(await invocation().get("old")).slug).toBe("old");
    expect(await slugsOf()).toEqual(["new", "old"]);
  });

  it("in one exchange and without a directory where all tenants share a database", async () => {
    const alone = invocation({ isShared: true });
    value(await alone.create("acme"));
    expect(alone.seen).toEqual(["home"]);
    value(await alone.get("acme"));
    expect(alone.seen).toHaveLength(2);
    expect(value(await alone.placement("acme"))).toBeNull();
  });

  it.each([{ region: "weur" }, { jurisdiction: "eu" }] as const)(
    "nowhere in particular where all tenants share a database: %j",
    async (residency) => {
      const create = createInHome({ create: () => expect.fail("created") });
      expect(await create(operator, { slug: "acme", name: "x", residency })).toMatchObject({
        error: { reason: "invalid_params", path: Object.keys(residency)[0] },
      });
    },
  );
});

describe("where each tenant has a database of its own", () => {
  const own = "tn".padEnd(22, "x");
  const placing = (residencies: unknown[], claimed?: Residency | null) => {
    const { placements } = storesOn((opened.get("home") as Opened).db);
    const ids = { next: () => `ten_${"0".repeat(26)}${own}` };
    return createPlacing({
      placements,
      newDatabase: (residency) => {
        residencies.push(residency);
        return residency.jurisdiction === "fedramp"
          ? { ok: false, error: { reason: "invalid_params", path: "jurisdiction", detail: "no" } }
          : ok(own);
      },
      databaseNamed(name, residency) {
        residencies.push(residency);
        expect(name).toBe(own);
        return {
          name,
          ids,
          tenants: {
            exists: async () => ok(false),
            create: async (_, input) => {
              if (claimed === null) return { ok: false, error: { reason: "internal" } };
              return ok({ ...input, residency: input.residency ?? null } as never);
            },
          },
        };
      },
    });
  };
  const eu = { region: "weur", jurisdiction: "eu" } as const;
  const asked = { slug: "acme", name: "Acme" };

  it("makes the database where it was asked for, and says so", async () => {
    const residencies: unknown[] = [];
    const made = value(await placing(residencies)(operator, { ...asked, residency: eu }));
    expect(made.residency).toEqual(eu);
    expect(residencies).toEqual([eu, eu, eu]);
    expect(await invocation().placement("acme")).toMatchObject({
      value: { database: own, residency: eu, state: "active" },
    });
  });

  it("finishes a creation that was cut off where it was begun, and nowhere else", async () => {
    expect(await placing([], null)(operator, { ...asked, residency: eu })).toMatchObject({
      ok: false,
    });
    const elsewhere = { ...asked, residency: { jurisdiction: "eu" } as const };
    expect(await placing([])(operator, elsewhere)).toMatchObject(conflict);
    expect(value(await placing([])(operator, asked)).residency).toEqual(eu);
  });

  it("refuses a place that the host does not have", async () => {
    expect(
      await placing([])(operator, { ...asked, residency: { jurisdiction: "fedramp" } }),
    ).toMatchObject({ ok: false, error: { path: "jurisdiction" } });
    expect(value(await invocation().placement("acme"))).toBeNull();
  });
});

describe("cut off anywhere", () => {
  const steps = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].flatMap((at): Cut[] => [
    { at, when: "before" },
    { at, when: "after" },
  ]);

  it.each(steps)("$when exchange $at, a creation is finished by asking again", async (cut) => {
    for (const [index, database] of ["eu", "home", undefined].entries()) {
      const slug = `acme-${index}`;
      const first = await invocation({ cut })
        .create(slug, database)
        .catch(() => "cut");
      const second = await invocation().create(slug, database);
      const made = value(await invocation().get(slug));
      // The caller whose answer says that it made the tenant, or nobody, if that answer was cut
      // off.
      if (second.ok) expect(second.value).toEqual(made);
      else expect(second).toMatchObject(conflict);
      if (first !== "cut") expect(second).toMatchObject(conflict);
      await invocation().deliver();
      const log = value(await invocation().events()).data;
      expect(log.filter(({ target }) => target === made.id)).toHaveLength(1);
    }
    expect(await slugsOf()).toEqual(["acme-0", "acme-1", "acme-2"]);
  });

  it.each(steps)(
    "$when exchange $at, a deletion leaves the slug to the next caller that asks",
    async (cut) => {
      for (const [index, database] of ["eu", "home"].entries()) {
        const slug = `acme-${index}`;
        const old = value(await invocation().create(slug, database));
        await invocation({ cut })
          .remove(slug)
          .catch(() => "cut");
        const again = await invocation().remove(slug);
        if (!again.ok) expect(again.error.reason).toBe("not_found");
        const made = value(await invocation().create(slug, database));
        // Never the same again: the log of the one that was deleted is not the new one's.
        expect(made.id).not.toBe(old.id);
      }
      expect(await slugsOf()).toEqual(["acme-0", "acme-1"]);
    },
  );

  it("a creation that was interrupted is finished in the database that holds the claim", async () => {
    await expect(
      invocation({ cut: { at: 1, when: "after" } }).create("acme", "eu"),
    ).rejects.toThrow("cut");
    expect(await invocation().get("acme")).toMatchObject({
      ok: false,
      error: { reason: "not_found" },
    });
    expect(databaseOf(value(await invocation().create("acme", "us")).id)).toBe("eu");
  });

  it("a slow creation makes no second tenant after a deletion in between", async () => {
    const later = Promise.withResolvers<void>();
    // The claim is its first exchange, its tenant the second.
    const slow = invocation({ hold: { at: 2, until: later.promise } }).create("acme", "eu");
    await expect.poll(async () => value(await invocation().placement("acme"))).not.toBeNull();
    value(await invocation().create("acme", "eu"));
    value(await invocation().remove("acme"));
    const next = value(await invocation().create("acme", "us"));
    later.resolve();
    expect(await slow).toMatchObject(conflict);
    expect(value(await invocation().get("acme"))).toEqual(next);
    expect(await slugsOf()).toEqual(["acme"]);
  });
});

describe("an operator's lists", () => {
  it("go through all databases, newest first, page by page", async () => {
    const made: string[] = [];
    for (const database of ["us", "eu", "us", "us", "home"])
      made.push(value(await invocation().create(`t${made.length}`, database)).id);
    await expectPages((page) => invocation().list(page), made);
    await invocation().deliver();
    await expectPages((page) => invocation().list(page), made);
    const events = value(await invocation().events()).data;
    await expectPages((page) => invocation().events(page), events.map(({ id }) => id).toReversed());
  });

  it("ask `home` alone, and are served while another one is out of reach", async () => {
    value(await invocation().create("there", "eu"));
    value(await invocation().create("here", "us"));
    await invocation().deliver();
    const broken = { down: "eu" };
    for (const list of ["list", "events"] as const) {
      const asked = invocation(broken);
      expect(await asked[list]()).toMatchObject({ value: { data: [{}, {}] } });
      expect([...new Set(asked.seen)]).toEqual(["home"]);
    }
    expect(await invocation(broken).get("there")).toMatchObject({
      ok: false,
      error: { reason: "unavailable" },
    });
    expect(value(await invocation(broken).get("here")).slug).toBe("here");
  });

  it("say that the deployment lacks a tenant's database", async () => {
    value(await invocation().create("there", "eu"));
    const without = invocation({ known: ["home", "us"] });
    for (const asked of [without.get("there"), without.create("there"), without.remove("there")])
      expect(await asked).toMatchObject({
        ok: false,
        error: { reason: "conflict", detail: expect.stringContaining("does not have") },
      });
  });
});
