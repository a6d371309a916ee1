/** Makes of one tenant's few rows as many as asked: each a copy with an id and a time of its own. */
import { createClient, type Client } from "@libsql/client";
import { createMac } from "../../src/crypto/mac.ts";
import { codedText, type StoredKey } from "../../src/domain/tenancy/access.ts";
import { idAlphabet, timeCharacters } from "../../src/domain/tenancy/ids.ts";

const insertedAtOnce = 20_000;

export interface Amounts {
  records: number;
  keys: number;
  servers: number;
  events: number;
  /** of usage, each with every model that was used */
  hours: number;
}

interface Copying {
  table: string;
  count: number;
  /** SQL of the columns that differ, over `n.i` (from 1) and the row `r` that is copied */
  differing: Readonly<Record<string, string>>;
  /** which rows are copied: SQL over `r` */
  where: string;
}

/** Ids that sort by their number, and stand before every id that the router makes now. */
const idOf = (kind: string): string => `'${kind}_01a' || printf('%023d', n.i)`;
/** An id of that moment (ms), as `domain/tenancy/ids.ts` makes ids. */
const idAt = (moment: string): string =>
  [
    `'req_'`,
    ...Array.from(
      { length: timeCharacters },
      (_, at) =>
        `substr('${idAlphabet}', 1 + (((${moment}) >> ${5 * (timeCharacters - 1 - at)}) & 31), 1)`,
    ),
    `printf('%016d', n.i)`,
  ].join(" || ");

interface Filling {
  tenantId: string;
  /** the router's MASTER_KEY: a key without the router's code is not listed */
  masterKey: Uint8Array<ArrayBuffer>;
  now: number;
  amounts: Amounts;
  /** how many of the keys have used something in this hour; absent: none more */
  usedKeys?: number;
}

const textIn = (value: unknown): unknown => JSON.parse(String(value));

/** Gives each copied key the code that the router would have given it. */
async function codeKeys(client: Client, { tenantId, masterKey }: Filling): Promise<void> {
  const mac = await createMac({ master: masterKey, previous: null, purpose: "api-key" });
  const { rows } = await client.execute(
    `select * from api_keys where tenant_id = '${tenantId}' and id like 'key_01a%'`,
  );
  const codes = await Promise.all(
    rows.map(async (row) => {
      const key = {
        id: row["id"],
        tenantId,
        secretHash: row["secret_hash"],
        scopes: textIn(row["scopes"]),
        limits: textIn(row["limits"]),
        expiresAt: row["expires_at"],
        revokedAt: row["revoked_at"],
        givenTo: textIn(row["given_to"]),
        userId: row["user_id"],
      } as unknown as StoredKey;
      return [key.id, await mac.code(codedText(key))];
    }),
  );
  await client.execute({
    sql: `update api_keys set code = j.value ->> 1 from json_each(?) j where api_keys.id = j.value ->> 0`,
    args: [JSON.stringify(codes)],
  });
}

export async function fillTenant(path: string, filling: Filling): Promise<void> {
  const { tenantId, now, amounts, usedKeys = 0 } = filling;
  const client = createClient({ url: `file:${path}`, timeout: 5_000 });
  const one = async (text: string): Promise<number> =>
    Number((await client.execute(text)).rows[0]?.[0] ?? 0);
  const copy = async ({ table, count, differing, where }: Copying): Promise<void> => {
    const { columns } = await client.execute(`select * from ${table} limit 0`);
    const values = columns.map((name) => differing[name] ?? `r."${name}"`).join(", ");
    const names = columns.map((name) => `"${name}"`).join(", ");
    for (let from = 1; from <= count; from += insertedAtOnce) {
      const to = Math.min(count, from + insertedAtOnce - 1);
      await client.execute(`insert into ${table} (${names})
        with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to}),
          kept as materialized (
            select row_number() over () - 1 as position, count(*) over () as kept, r.*
            from ${table} r where r.tenant_id = '${tenantId}' and ${where})
        select ${values} from n cross join kept r where r.position = n.i % r.kept`);
    }
  };
  try {
    await client.execute("pragma synchronous = off");
    const { records, keys, servers, events, hours } = amounts;
    const at = `${now} - cast((${records} - n.i) * (30.0 * 86400000 / ${records}) as integer)`;
    const last = await one(
      `select max(record_number) from sampling_requests where tenant_id = '${tenantId}'`,
    );
    await copy({
      table: "sampling_requests",
      count: records,
      where: "r.seal_number is not null and r.session_id is not 'copied'",
      differing: {
        id: idAt(at),
        created_at: at,
        settled_at: at,
        session_id: "'copied'",
        record_number: `${last} + n.i`,
        seal_position: "n.i",
      },
    });
    await client.execute(
      `update record_numbers set last = ${last + records} where tenant_id = '${tenantId}'`,
    );
    await copy({
      table: "api_keys",
      count: keys,
      where: "r.id not like 'key_01a%'",
      differing: { id: idOf("key"), name: "'program ' || n.i" },
    });
    await codeKeys(client, filling);
    await copy({
      table: "servers",
      count: servers,
      where: "r.id not like 'srv_01a%'",
      differing: { id: idOf("srv"), slug: "'server-' || n.i" },
    });
    await copy({
      table: "admin_events",
      count: events,
      where: "r.id not like 'evt_01a%'",
      differing: { id: idOf("evt"), at: `${now} - n.i` },
    });
    const hour = Math.floor(now / 3_600_000) * 3_600;
    await copy({
      table: "usage",
      count: hours,
      where: `r.hour > ${hour} - 7200`,
      differing: { hour: `${hour} - (n.i + 2) * 3600` },
    });
    await copy({
      table: "usage",
      count: usedKeys,
      where: `r.hour > ${hour} - 7200 and r.key_id not like 'key_01a%'`,
      differing: { key_id: idOf("key") },
    });
  } finally {
    client.close();
  }
}
