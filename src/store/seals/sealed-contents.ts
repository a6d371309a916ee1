/** Captures and results. Sizes are read before contents, since they may be large. */
import type { AsyncResult } from "../../domain/refusals.ts";
import { sql, type SQL } from "drizzle-orm";
import { isCaptured, markCharacters, sealedIn } from "../../domain/audit/capture.ts";
import { resultPartsOf } from "../../domain/sampling/replay-key.ts";
import { ok } from "../../domain/result.ts";
import type { Resealed, SealedRow } from "../../domain/tenancy/sealing.ts";
import { raw, type Compiled, type Database } from "../db.ts";

const maxRows = 50;
/** Characters of one page and parameter: a Durable Object takes 2 MB. A larger row is its own page. */
const maxCharacters = 1_000_000;
/** libSQL limits a response to 10 MB, and a part has up to 1 MB. */
const partsPerRead = 4;
const headCharacters = 40;
const headOf = (sealed: string): string => sealed.slice(0, headCharacters);

const separator = " ";
const placeOf = (tenantId: string, id: string): string => `${tenantId}${separator}${id}`;
const idsOf = (place: string): { tenantId: string; id: string } => {
  const [tenantId = "", id = ""] = place.split(separator);
  return { tenantId, id };
};

interface Measured {
  tenant_id: string;
  id: string;
  parts: number;
  characters: number;
}

/** At least one row. */
function fitting(rows: readonly Measured[]): Measured[] {
  let sum = 0;
  return rows.filter(({ characters }, at) => {
    sum += characters;
    return at === 0 || sum <= maxCharacters;
  });
}

const keysIn = (rows: readonly Measured[]): SQL =>
  sql`(select value from json_each(${JSON.stringify(rows.map(({ id }) => id))}))`;

async function capturesAfter(db: Database, after: string): AsyncResult<SealedRow[]> {
  return db.read(async (builder) => {
    const measured = await builder.all<Measured>(sql`
      select tenant_id, request_id as id, 1 as parts, length(sealed) as characters from captures
      where request_id > ${after} order by request_id limit ${maxRows}`);
    if (measured.length === 0) return [];
    const rows = await builder.all<{ tenant_id: string; id: string; sealed: string }>(sql`
      select tenant_id, request_id as id, sealed from captures
      where request_id in ${keysIn(fitting(measured))} order by request_id`);
    return rows.map(({ tenant_id: tenantId, id, sealed }) => ({
      tenantId,
      place: id,
      sealed: sealedIn(sealed),
      mark: isCaptured(sealed) ? "" : sealed.slice(0, markCharacters),
      context: { purpose: "capture" as const, tenantId, provider: "", id, destination: "" },
    }));
  });
}

async function resultsAfter(db: Database, after: string): AsyncResult<SealedRow[]> {
  const from = idsOf(after);
  const found = await db.read((builder) =>
    builder.all<Measured>(sql`
      select tenant_id, request_id as id, count(*) as parts, sum(length(sealed)) as characters
      from results where (tenant_id, request_id) > (${from.tenantId}, ${from.id})
      group by tenant_id, request_id order by tenant_id, request_id limit ${maxRows}`),
  );
  if (!found.ok) return found;
  const sealed = new Map<string, string>();
  const chosen = fitting(found.value);
  const parts = Math.max(0, ...chosen.map((row) => row.parts));
  for (let at = 0; at < parts; at += partsPerRead) {
    const read = await db.read((builder) =>
      builder.all<{ id: string; sealed: string }>(sql`
        select request_id as id, sealed from results
        where (tenant_id, request_id) in (
            select value ->> 0, value ->> 1 from json_each(${JSON.stringify(
              chosen.map((row) => [row.tenant_id, row.id]),
            )}))
          and part >= ${at} and part < ${at + partsPerRead} order by part`),
    );
    if (!read.ok) return read;
    for (const row of read.value) sealed.set(row.id, (sealed.get(row.id) ?? "") + row.sealed);
  }
  return ok(
    chosen.map(({ tenant_id: tenantId, id }) => ({
      tenantId,
      place: placeOf(tenantId, id),
      sealed: sealed.get(id) ?? "",
      context: { purpose: "result", tenantId, provider: "", id, destination: "" },
    })),
  );
}

export const pageOfContents = (
  db: Database,
  kind: "captures" | "results",
  after: string,
): AsyncResult<SealedRow[]> =>
  kind === "captures" ? capturesAfter(db, after) : resultsAfter(db, after);

const replaceCaptures = (rows: readonly Resealed[]): Compiled[] => [
  raw(sql`
    update captures set sealed = c.mark || c.fresh
    from (select value ->> 0 as id, value ->> 1 as tenant, value ->> 2 as head,
      value ->> 3 as fresh, value ->> 4 as mark from json_each(${JSON.stringify(
        rows.map((row) => [row.place, row.tenantId, headOf(row.sealed), row.fresh, row.mark ?? ""]),
      )})) as c
    where captures.request_id = c.id and captures.tenant_id = c.tenant
      and substr(captures.sealed, 1, length(c.mark || c.head)) = c.mark || c.head`),
];

/** The first part is written last: it tells the other parts that the result is unchanged. */
function replaceResult({ place, sealed, fresh }: Resealed): Compiled[] {
  const { tenantId, id } = idsOf(place);
  return resultPartsOf(fresh)
    .map((part, at) =>
      raw(sql`
        update results set sealed = ${part}
        where tenant_id = ${tenantId} and request_id = ${id} and part = ${at}
          and exists (select 1 from results as first
            where first.tenant_id = ${tenantId} and first.request_id = ${id} and first.part = 0
              and substr(first.sealed, 1, ${headCharacters}) = ${headOf(sealed)})`),
    )
    .toReversed();
}

export const replaceContents = (
  kind: "captures" | "results",
  rows: readonly Resealed[],
): Compiled[] => (kind === "captures" ? replaceCaptures(rows) : rows.flatMap(replaceResult));
