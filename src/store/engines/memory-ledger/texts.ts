/** Built once and passed as plain values, so that the database thread doesn't load drizzle. */
import { getTableColumns, getTableName, type Table } from "drizzle-orm";
import { largestInteger } from "../../../domain/magnitudes.ts";
import { approvals } from "../../schema/approval-schema.ts";
import { circuits, health } from "../../schema/health-schema.ts";
import { ledgerJournal, counters, idempotency, usage } from "../../schema/ledger-schema.ts";
import { approvedAt } from "../../rows/concurrency-slots.ts";
import { callNames, endingNames, type RequestRow } from "../../records/record-codes.ts";
import { samplingRequests, sessions, tenants } from "../../schema.ts";
import { recordNumbers } from "../../schema/seal-schema.ts";

const tables = {
  approvals: getTableName(approvals),
  circuits: getTableName(circuits),
  counters: getTableName(counters),
  health: getTableName(health),
  idempotency: getTableName(idempotency),
  journal: getTableName(ledgerJournal),
  numbers: getTableName(recordNumbers),
  requests: getTableName(samplingRequests),
  sessions: getTableName(sessions),
  tenants: getTableName(tenants),
  usage: getTableName(usage),
};

const columns = getTableColumns(samplingRequests);
type Name = keyof RequestRow;
const columnsOf = (names: readonly Name[]): string[] => names.map((name) => columns[name].name);
const marks = (count: number): string => Array.from({ length: count }, () => "?").join(", ");

export const claimNames = [
  "model",
  "reservedTokens",
  "reservedMicroUsd",
  "decision",
  "limitChecks",
] as const satisfies Name[];

export const calledNames = [
  ...callNames,
  "overshoot",
  "leaseUntil",
  "asked",
  "attempts",
] as const satisfies Name[];

export const decidedNames = [
  "recordNumber",
  "openingCode",
  "admittedAt",
  "outcome",
  "reason",
  "reasonDetail",
  "settledAt",
  "refusedCheck",
  "retryAfterMs",
] as const satisfies Name[];

/** Columns that a settlement writes. The last value is `null` if the row keeps its `limitChecks`. */
export const endedNames = [
  ...endingNames,
  "settlement",
  "endingCode",
  "limitChecks",
] as const satisfies Name[];

const inserted = columnsOf([...calledNames, ...claimNames, ...decidedNames]);
const insertRequest = `insert into ${tables.requests} (${inserted.join(", ")})
  values (${marks(inserted.length)}) on conflict (id) do nothing`;

const ended = columnsOf(endedNames).map((name) =>
  name === columns.limitChecks.name ? `${name} = coalesce(?, ${name})` : `${name} = ?`,
);
const endRequest = `update ${tables.requests} set ${ended.join(", ")}
  where id = ? and tenant_id = ? and outcome = 'admitted'`;

const readable = (column: string): string =>
  `max(-${largestInteger}, min(${largestInteger}, ${column}))`;
const added = (table: string, column: string): string =>
  `${column} = ${readable(`${table}.${column} + excluded.${column}`)}`;

const columnNames = (table: Table): string[] =>
  Object.values(getTableColumns(table)).map(({ name }) => name);

/** Batch sizes: a call may be charged at sixteen nodes, and a Durable Object takes at most 100 parameters. */
const addCounters = [16, 4, 2, 1].map((size) => ({
  size,
  text: `insert into ${tables.counters} (tenant_id, subject, resource, bucket, amount)
  values ${Array.from({ length: size }, () => `(${marks(5)})`).join(", ")}
  on conflict (tenant_id, subject, resource, bucket)
  do update set ${added(tables.counters, "amount")}`,
}));
const readCounter = `select bucket, ${readable("amount")} from ${tables.counters}
  where tenant_id = ? and subject = ? and resource = ? and bucket >= ?`;

const usageKey = ["tenant_id", "hour", "key_id", "server_id", "model"];
const delivered = getTableColumns(usage).delivered.name;
const usageFigures = columnNames(usage).filter(
  (name) => !usageKey.includes(name) && name !== delivered,
);
const addUsage = `insert into ${tables.usage} (${[...usageKey, ...usageFigures].join(", ")})
  values (${marks(usageKey.length + usageFigures.length)}) on conflict (${usageKey.join(", ")})
  do update set ${usageFigures.map((name) => added(tables.usage, name)).join(", ")}, ${delivered} = 0`;

const readNumber = `select last from ${tables.numbers} where tenant_id = ?`;
const writeNumber = `insert into ${tables.numbers} (tenant_id, last) values (?, ?)
  on conflict (tenant_id) do update set last = excluded.last`;

const readSamples = `select samples from ${tables.health}
  where tenant_id = ? and credential_id = ? and model = ?`;
const writeSamples = `insert into ${tables.health}
    (tenant_id, credential_id, model, samples, updated_at)
  values (?, ?, ?, ?, ?)
  on conflict (tenant_id, credential_id, model) do update set
    samples = excluded.samples, updated_at = excluded.updated_at`;

const readVersion = `select version from ${tables.tenants} where id = ?`;
const readScopes = `select scope from ${tables.circuits} where tenant_id = ?`;
const readOpenCalls = `select id, key_id, server_id, ${readable("lease_until")},
    case when lease_until is null then ${approvedAt(tables.requests)} end,
    ${readable("coalesce(admitted_at, created_at)")}, model, limit_checks, record_number
  from ${tables.requests} where tenant_id = ? and outcome = 'admitted'`;

// Rows missing from the journaled sums. `cross join` fixes the join order.
const aboveLast = `r.record_number > coalesce(
    (select n.last from ${tables.numbers} n where n.tenant_id = r.tenant_id), 0)`;
const readUncountedRunning = `select r.tenant_id, r.record_number, r.key_id, r.server_id, r.limit_checks
  from ${tables.requests} r where r.outcome = 'admitted' and ${aboveLast}`;
const readUncountedEnded = `select r.tenant_id, r.record_number, r.outcome, r.reason,
    r.created_at, r.key_id, r.server_id, r.model, r.settled_at
  from ${tables.tenants} t cross join ${tables.requests} r
  where r.tenant_id = t.id and r.seal_number is null and r.outcome <> 'admitted' and ${aboveLast}`;
/** The journal's mark: a position outside the ring, with the number of the last entry in the sums. */
const mark = -1;
const findJournal = `select 1 from sqlite_master where name = '${tables.journal}'`;
const readJournalMark = `select number from ${tables.journal} where place = ${mark}`;
const readJournal = `select number, entry from ${tables.journal}
  where place <> ${mark} and number > ? order by number`;
const writeJournal = `insert into ${tables.journal} (place, number, entry) values (?, ?, ?)
  on conflict (place) do update set number = excluded.number, entry = excluded.entry`;
const markJournal = `insert into ${tables.journal} (place, number, entry) values (${mark}, ?, '')
  on conflict (place) do update set number = excluded.number`;

const liveSession = "id = ? and tenant_id = ? and key_id = ? and expires_at > ?";
const findSession = `select 1 from ${tables.sessions} where ${liveSession}`;
const touchSession = `update ${tables.sessions} set last_used_at = ?, expires_at = ?
  where ${liveSession}`;

const replayKey = ["tenant_id", "key_id", "server_id", "idempotency_key"];
const findReplay = `select request_id, content_sha256 from ${tables.idempotency}
  where ${replayKey.map((name) => `${name} = ?`).join(" and ")}
    and expires_at > ? and request_id <> ?`;
const claimReplay = `insert into ${tables.idempotency}
    (${replayKey.join(", ")}, request_id, content_sha256, replays, expires_at)
  values (?, ?, ?, ?, ?, ?, 0, ?) on conflict (${replayKey.join(", ")}) do update set
    request_id = excluded.request_id, content_sha256 = excluded.content_sha256,
    replays = 0, delivered = null, expires_at = excluded.expires_at
  where ${tables.idempotency}.expires_at <= ?`;

export const ledgerTexts = {
  tables,
  limitChecksAt: claimNames.indexOf("limitChecks"),
  modelAt: claimNames.indexOf("model"),
  insertRequest,
  endRequest,
  addCounters,
  readCounter,
  usageFigures,
  addUsage,
  readNumber,
  writeNumber,
  readSamples,
  writeSamples,
  readVersion,
  readScopes,
  readOpenCalls,
  readUncountedRunning,
  readUncountedEnded,
  findJournal,
  readJournalMark,
  readJournal,
  writeJournal,
  markJournal,
  findSession,
  touchSession,
  findReplay,
  claimReplay,
};

export type LedgerTexts = typeof ledgerTexts;
