/** `npm run bench -- export [records]`: seals, exports by cursor and verifies that many records of one tenant. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client } from "@libsql/client";
import { getTableColumns, sql } from "drizzle-orm";
import { hashing } from "../../src/crypto/chain.ts";
import { createSigner, verifySignature } from "../../src/crypto/signatures.ts";
import { parseCursor, type ExportLine } from "../../src/domain/audit/exports.ts";
import { maxPerSeal } from "../../src/domain/audit/seals.ts";
import { createVerification } from "../../src/domain/audit/verification.ts";
import { createExportAdmin, type Exported } from "../../src/pipeline/admin/audit/export.ts";
import { sealOnce } from "../../src/pipeline/scheduled/audit/seal.ts";
import { openLibsql, raw, type Database } from "../../src/store/db.ts";
import { migrate } from "../../src/store/migrations.ts";
import { samplingRequests } from "../../src/store/schema.ts";
import { caller, decision, reservation, settlement, start } from "../contract/store/fixtures.ts";
import { storesOn, value } from "../contract/store/open.ts";
import { sealingParts } from "../contract/store/sealing.ts";
import { readMigrations } from "../setup/migrations.ts";

export const defaultRecords = 100_000;
/** A Worker's, for one invocation. */
const maxStatements = 1_000;
const insertedAtOnce = 10_000;
const mib = 1_048_576;

const mibOf = (bytes: number): number => Math.round(bytes / mib);

/** Counts what the Workers runtime would count. */
function counting(client: Client): { client: Client; statements: () => number } {
  let statements = 0;
  const spy = new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (name === "execute") statements += 1;
        if (name === "batch") statements += (args[0] as unknown[]).length;
        return (member as (...its: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { client: spy, statements: () => statements };
}

/** Copies one settled record, with an id and a time of its own each. */
async function fill(db: Database, template: string, records: number): Promise<void> {
  const columns = Object.values(getTableColumns(samplingRequests)).map(({ name }) => name);
  const names = sql.join(
    columns.map((name) => sql.identifier(name)),
    sql`, `,
  );
  const values = sql.join(
    columns.map((name) => {
      if (name === "id") return sql`printf('req_%026d', n.i)`;
      if (name === "created_at" || name === "settled_at") return sql`${start} + n.i`;
      return sql`r.${sql.identifier(name)}`;
    }),
    sql`, `,
  );
  for (let from = 1; from < records; from += insertedAtOnce) {
    const to = Math.min(records - 1, from + insertedAtOnce - 1);
    const copy = sql`insert into sampling_requests (${names})
      with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})
      select ${values} from n cross join sampling_requests r where r.id = ${template}`;
    value(await db.write([raw(copy)]));
  }
}

export async function benchExport(records: number, say: (line: string) => void): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "sampling-router-export-"));
  const path = join(folder, "database.sqlite");
  const faults: string[] = [];
  let peakRss = 0;
  let peakHeap = 0;
  const sample = (): void => {
    const { rss, heapUsed } = process.memoryUsage();
    peakRss = Math.max(peakRss, rss);
    peakHeap = Math.max(peakHeap, heapUsed);
  };
  const seconds = (since: number): string =>
    `${((performance.now() - since) / 1_000).toFixed(1)} s`;
  const { client, statements } = counting(createClient({ url: `file:${path}`, timeout: 5_000 }));
  try {
    const db = openLibsql(client, { timeoutMs: 60_000 });
    value(await migrate(db, readMigrations()));
    const stores = storesOn(db);
    const who = await caller(stores);
    const candidates = Array.from({ length: 12 }, (_, at) => ({
      provider: "openai",
      model: `model-${at}`,
      score: at / 12,
      axes: { cost: 0.5, speed: 0.25, intelligence: 0.75 },
    }));
    const its = reservation(who, start, { decision: decision({ candidates }) });
    value(await stores.ledger.admit(its));
    value(await stores.ledger.settle(settlement(its, start)));
    const { slug } = value(await stores.tenants.byId(who.tenantId)) ?? { slug: "" };

    let since = performance.now();
    await fill(db, its.opening.id, records);
    say(`${records} records in ${seconds(since)}, ${mibOf(statSync(path).size)} MiB`);

    const signer = await createSigner({ master: new Uint8Array(32).fill(1), previous: null });
    const now = () => start + 1e9;
    const deps = { ...stores, ...(await sealingParts({ signer })), now };
    since = performance.now();
    let sealed = maxPerSeal;
    let seals = 0;
    for (; sealed === maxPerSeal; seals += 1)
      sealed = value(await sealOnce(deps, who.tenantId, now()));
    const took = performance.now() - since;
    await client.execute("pragma wal_checkpoint(truncate)");
    const sizes = await client.execute(
      "select sum(pgsize) as bytes from dbstat where name in ('seals', 'sampling_requests_chain')",
    );
    say(
      `${seals} seals in ${(took / 1_000).toFixed(1)} s, ${Math.round((records / took) * 1_000)} records/s; ` +
        `${(Number(sizes.rows[0]?.["bytes"]) / records).toFixed(0)} bytes a record, its index with it`,
    );

    const exports = createExportAdmin(deps);
    const verification = createVerification({
      hashing,
      verify: verifySignature,
      pinned: signer.keys,
    });
    globalThis.gc?.();
    since = performance.now();
    let bytes = 0;
    let parts = 0;
    let max = 0;
    for (let cursor: string | null = null, more = true; more;) {
      const before = statements();
      const part: Exported = value(
        await exports.start({ kind: "operator" }, slug, {
          format: "ndjson",
          filter: {},
          cursor: cursor === null ? null : parseCursor(cursor),
        }),
      );
      let number = 0;
      for await (const chunk of part.chunks) {
        bytes += chunk.length;
        for (const text of chunk.trimEnd().split("\n"))
          await verification.line({
            number: (number += 1),
            text,
            parsed: JSON.parse(text) as ExportLine,
          });
        sample();
      }
      parts += 1;
      max = Math.max(max, statements() - before);
      const findings = await verification.endOfFile();
      for (const { line, text } of findings.slice(0, 3))
        faults.push(`part ${parts}, line ${line}: ${text}`);
      if (parts === 1 || parts % 8 === 0)
        say(
          `part ${parts}: ${verification.total().records} records, rss ${mibOf(process.memoryUsage().rss)} MiB, ` +
            `heap ${mibOf(process.memoryUsage().heapUsed)} MiB, ${statements() - before} statements`,
        );
      cursor = part.nextCursor;
      more = cursor !== null;
    }
    const exported = verification.total().records;
    say(
      `${exported} records, ${mibOf(bytes)} MiB in ${parts} parts, exported and verified in ${seconds(since)}; ` +
        `most statements of a part ${max}; peak rss ${mibOf(peakRss)} MiB, peak heap ${mibOf(peakHeap)} MiB`,
    );
    if (exported !== records) faults.push(`${exported} of ${records} records`);
    if (max > maxStatements) faults.push(`${max} statements in one part`);
  } finally {
    client.close();
    rmSync(folder, { recursive: true });
  }
  return faults;
}
