/** Routers on one database, a provider that counts, callers, and what stands in the tables afterwards. */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createClient as createFileClient } from "@libsql/client";
import { createClient } from "@libsql/client/web";
import type { Ending } from "../../src/start/ending.ts";
import { startRouter, temporaryStateDir, type Router, type RouterHost } from "../fakes/router.ts";
import { startSqld } from "../fakes/sqld.ts";
import { startIsolates } from "../fakes/two-routers.ts";
import { startCountingProvider, type CountingProvider } from "./provider.ts";

/** A libSQL server; the Worker's Durable Objects; the file of the server on Node. */
export const databases = ["sqld", "objects", "embedded"] as const;
export type DatabaseName = (typeof databases)[number];
export type Say = (line: string) => void;

export const hostOf = (database: DatabaseName): RouterHost =>
  database === "objects" ? "workerd" : "node";

export const model = { id: "one", inputUsdPerMTok: 3, outputUsdPerMTok: 11 };
const adminToken = "operator-token-of-the-soak";
const masterKey = Buffer.alloc(32, 9).toString("base64");

export interface Called {
  number: number;
  /** null: no answer came */
  reason: string | null;
  succeeded: boolean;
}

/** `kill9` of one of several isolates ends them all. */
export type SoakRouter = Pick<Router, "url" | "stateDir" | "kill9"> & Partial<Pick<Router, "stop">>;

export interface World {
  /** processes; on objects several are isolates of one process */
  routers: SoakRouter[];
  provider: CountingProvider;
  /** One more process on the same database, of the checkout in the folder `from`. A file and objects have one owner: the process before must be gone. */
  another(from?: string): Promise<SoakRouter>;
  tenant(slug: string, about?: TenantOptions): Promise<Tenant>;
  /** One call of the admin API. Throws unless it succeeds. */
  admin(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Rows straight from the database. */
  query(sql: string, args?: string[]): Promise<Record<string, unknown>[]>;
}

interface TenantOptions {
  policy?: unknown;
  keyLimits?: unknown;
  scopes?: readonly string[];
  /** absent: one that leads to the counting provider */
  credentials?: readonly object[];
}

export interface Tenant {
  id: string;
  keyId: string;
  key: string;
}

export const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
export const below = (count: number): number => Math.floor(Math.random() * count);

/** As the router's own records say it. */
export const sha256Of = (params: unknown): string =>
  createHash("sha256").update(JSON.stringify(params)).digest("hex");

/** A question of random size, with the number by which its answer is known. */
export const questionOf = (number: number, largest = 300) => ({
  messages: [
    {
      role: "user",
      content: {
        type: "text",
        text: `This is call ${number}. ${"Do you hear me? ".repeat(below(20))}`,
      },
    },
  ],
  maxTokens: 1 + below(largest),
});

const headersOf = (key: string): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
});

async function reasonIn(response: Response): Promise<{ reason: string | null; ok: boolean }> {
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  const body = JSON.parse(data) as { result?: unknown; error?: { data?: { reason?: string } } };
  return { reason: body.error?.data?.reason ?? null, ok: body.result !== undefined };
}

/** One modern call. */
export async function call(
  { url }: Pick<Router, "url">,
  key: string,
  about: { number: number; params: object; signal?: AbortSignal },
): Promise<Called> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "soak", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
  };
  const response = await fetch(`${url}/v1/sampling`, {
    method: "POST",
    headers: {
      ...headersOf(key),
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "sampling/createMessage",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: about.number,
      method: "sampling/createMessage",
      params: { ...about.params, _meta: meta },
    }),
    ...(about.signal === undefined ? {} : { signal: about.signal }),
  });
  const { reason, ok } = await reasonIn(response);
  return { number: about.number, reason, succeeded: ok };
}

/** A legacy session's calls. */
export async function legacySession({ url }: Pick<Router, "url">, key: string) {
  const post = (body: object, more: Record<string, string>, signal?: AbortSignal) =>
    fetch(`${url}/v1/sampling`, {
      method: "POST",
      headers: { ...headersOf(key), ...more },
      body: JSON.stringify({ jsonrpc: "2.0", ...body }),
      ...(signal === undefined ? {} : { signal }),
    });
  const begun = await post(
    {
      id: 0,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: { sampling: {} },
        clientInfo: { name: "soak", version: "1" },
      },
    },
    {},
  );
  await begun.text();
  const session = { "Mcp-Session-Id": begun.headers.get("mcp-session-id") ?? "" };
  return async (about: { number: number; params: object; signal?: AbortSignal }) => {
    const { number: id, params, signal } = about;
    const message = { id, method: "sampling/createMessage", params };
    const { reason, ok } = await reasonIn(await post(message, session, signal));
    return { number: id, reason, succeeded: ok } satisfies Called;
  };
}

const filesIn = (stateDir: string): string[] =>
  readdirSync(stateDir, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sqlite"))
    .map((name) => `file:${join(stateDir, name)}`);

async function rowsIn(
  client: ReturnType<typeof createClient>,
  sql: string,
  args: string[] = [],
): Promise<Record<string, unknown>[]> {
  const { rows, columns } = await client.execute({ sql, args });
  client.close();
  return rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
}

/** The embedded database's file, by a table that only ours has. */
async function fileOf(stateDir: string): Promise<string> {
  const table = "select 1 from sqlite_master where name = 'sampling_requests'";
  for (const url of filesIn(stateDir))
    if ((await rowsIn(createFileClient({ url }), table)).length > 0) return url;
  throw new Error("no embedded database");
}

/** Each tenant has a file of its own. Its sums are written there once somebody reads them. */
async function rowsOfObject(
  { stateDir, url: router }: SoakRouter,
  sql: string,
  args: string[],
): Promise<Record<string, unknown>[]> {
  const there = "select 1 from sqlite_master where name = 'tenants'";
  for (const url of filesIn(stateDir)) {
    if ((await rowsIn(createFileClient({ url }), there)).length === 0) continue;
    const text = "select slug from tenants where id = ?";
    const [tenant] = await rowsIn(createFileClient({ url }), text, args.slice(0, 1));
    if (tenant === undefined) continue;
    await fetch(`${router}/admin/v1/tenants/${String(tenant["slug"])}/usage`, {
      headers: { Authorization: `Bearer ${adminToken}` },
    });
    return rowsIn(createFileClient({ url }), sql, args);
  }
  throw new Error("no object has the tenant");
}

async function readerOf(
  latest: () => SoakRouter,
  { database, sqldUrl }: { database: DatabaseName; sqldUrl: string | null },
): Promise<World["query"]> {
  if (database === "objects") return (sql, args = []) => rowsOfObject(latest(), sql, args);
  const url = sqldUrl ?? (await fileOf(latest().stateDir));
  return (sql, args = []) =>
    rowsIn(sqldUrl === null ? createFileClient({ url }) : createClient({ url }), sql, args);
}

export async function startWorld(
  ending: Ending,
  about: {
    database: DatabaseName;
    routers: number;
    scheduleSeconds: number;
    from?: string;
    /** settings besides */
    env?: Record<string, string>;
  },
): Promise<World> {
  const provider = await startCountingProvider();
  ending.add(() => provider.stop());
  const sqld = about.database === "sqld" ? await startSqld() : null;
  if (sqld !== null) ending.add(() => sqld.stop());
  const env = {
    MASTER_KEY: masterKey,
    ADMIN_TOKEN: adminToken,
    SCHEDULE_SECONDS: String(about.scheduleSeconds),
    ...(sqld === null ? {} : { DATABASE_URL: sqld.url }),
    ...about.env,
  };
  const host = hostOf(about.database);
  let latest: SoakRouter | undefined;
  const stateDir = about.database === "sqld" ? {} : { stateDir: temporaryStateDir() };
  const routers: SoakRouter[] = [];
  const another = async (from?: string): Promise<SoakRouter> => {
    const cwd = from === undefined ? {} : { cwd: from };
    const router = await startRouter({ env, host, ...stateDir, ...cwd });
    ending.add(async () => void (await router.stop()));
    latest = router;
    return router;
  };
  if (about.database === "objects" && about.routers > 1) {
    const isolates = await startIsolates(env);
    ending.add(isolates.stop);
    routers.push(...isolates.routers.map((each) => ({ ...each, kill9: isolates.stop })));
  }
  while (routers.length < about.routers) routers.push(await another(about.from));
  const [first] = routers;
  if (first === undefined) throw new Error("no router");
  latest = first;
  const admin = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${(latest ?? first).url}/admin/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const counting = {
    provider: "openai-compatible",
    name: "soak",
    apiKey: "provider-key",
    baseUrl: provider.url,
    models: [model],
  };
  return {
    routers,
    provider,
    another,
    query: await readerOf(() => latest ?? first, {
      database: about.database,
      sqldUrl: sqld?.url ?? null,
    }),
    admin,
    async tenant(
      slug,
      { policy = {}, keyLimits = {}, scopes = ["sampling"], credentials = [counting] } = {},
    ) {
      const { id } = await admin("POST", "/tenants", { slug, name: slug });
      for (const credential of credentials)
        await admin("POST", `/tenants/${slug}/credentials`, credential);
      await admin("PUT", `/tenants/${slug}/policy`, policy);
      const made = await admin("POST", `/tenants/${slug}/keys`, {
        name: "soak",
        scopes,
        limits: keyLimits,
      });
      return { id: String(id), keyId: String(made["id"]), key: String(made["key"]) };
    },
  };
}

/** A number of workers that take one task after the other. */
export async function crowd(
  callers: number,
  calls: number,
  one: (number: number, caller: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async (caller: number): Promise<void> => {
    for (let number = next++; number < calls; number = next++) await one(number, caller);
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => work(caller)));
}
