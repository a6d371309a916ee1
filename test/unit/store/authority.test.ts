/**
 * Every table is here: what its rows grant and which columns of them a code or a seal covers, or why they grant nothing.
 * A column that is added to a table that grants something is covered, or has its reason.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { getTableName, is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import { createMac } from "../../../src/crypto/mac.ts";
import { createVault } from "../../../src/crypto/vault.ts";
import { codedEntry } from "../../../src/domain/ports/oauth-entries.ts";
import { pendingOf, secretsOf, tokenOf } from "../../../src/domain/servers/server.ts";
import { codedApproval } from "../../../src/domain/ports/approvals.ts";
import { codedText } from "../../../src/domain/tenancy/access.ts";
import { codedSession } from "../../../src/domain/tenancy/console-session.ts";
import {
  cloudTokenOf,
  providerKeyOf,
  webhookSecretOf,
  type SealedFor,
} from "../../../src/domain/tenancy/sealing.ts";
import { signInSecretsOf } from "../../../src/domain/tenancy/sign-in.ts";
import { userSecretsOf, type AccountOwner } from "../../../src/domain/tenancy/user.ts";
import { openedUser } from "../../../src/pipeline/people/users.ts";
import { auditKeyText } from "../../../src/pipeline/scheduled/audit/audit-keys.ts";

type Row = Record<string, unknown>;

interface Grants {
  grants: string;
  /** a row that the router wrote, without its code or seal */
  row: Row;
  /** the row with its code or seal */
  write(row: Row): Promise<Row>;
  counts(row: Row): Promise<boolean>;
  /** columns that are not covered, and why */
  open: Record<string, string>;
}

const master = new Uint8Array(32).fill(7);
const randomBytesOf = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const mac = await createMac({ master, previous: null, purpose: "test" });
const vault = await createVault({ master, previous: null, randomBytesOf });

/** A row with a code over that text of it. */
const coded = (textOf: (row: never) => string) => ({
  write: async (row: Row) => ({ ...row, code: await mac.code(textOf(row as never)) }),
  counts: (row: Row) => mac.check(textOf(row as never), row["code"] as string),
});

/** A row with a seal for what that says of it. */
const sealed = (contextOf: (row: never) => SealedFor) => ({
  write: async (row: Row) => ({ ...row, sealed: await vault.seal("{}", contextOf(row as never)) }),
  counts: async (row: Row) => (await vault.open(String(row["sealed"]), contextOf(row as never))).ok,
});

const entry = { tenantId: "ten_1", id: "srv_1", url: "https://a.test/mcp", oauth: null };
const display = "Shown to people.";
const tokenColumns = {
  id: "The row's own name, by which nothing is found.",
  generation: "Says whether the row was written again.",
  expiresAt: "When a new token is asked for. The token's own end is its issuer's.",
  lease: "Who asks for a new token.",
  leaseUntil: "Who asks for a new token.",
  fault: "What is said of the last try.",
};
const tokenRow = { generation: "g", expiresAt: 1, lease: null, leaseUntil: 0, fault: null };

const granting: Record<string, Grants> = {
  api_keys: {
    grants: "calls, and the admin API",
    row: {
      id: "key_1",
      tenantId: "ten_1",
      name: "Key",
      secretHash: "hash",
      givenTo: ["finder"],
      scopes: ["proxy"],
      limits: {},
      expiresAt: 1,
      revokedAt: null,
      createdAt: 0,
      createdBy: "operator",
      userId: null,
    },
    ...coded(codedText),
    open: { name: display, createdAt: display, createdBy: display },
  },
  oauth_entries: {
    grants: "grants, access and refresh tokens, clients, open consents, sessions of people's pages",
    row: { tenantId: "ten_1", key: "grant:a", value: "{}", expiresAt: 1, version: "v" },
    ...coded(codedEntry),
    open: { version: "Says whether the row was written again." },
  },
  approvals: {
    grants: "that a held call is made, and that its result is given out",
    row: {
      tenantId: "ten_1",
      requestId: "req_1",
      stage: "request",
      keyId: "key_1",
      state: "approved",
      createdAt: 0,
      deadline: 1,
      onTimeout: "deny",
      conditions: [{ name: "tools", matches: ["send_mail"] }],
      contentHash: "ab",
      decidedAt: 1,
      decidedBy: "operator",
      decidedBySubject: "finder",
      isOwn: true,
      comment: null,
      edited: { content: "cd" },
      webhookUrl: null,
      notice: null,
      nonce: "n",
      isOpen: true,
    },
    ...coded(codedApproval),
    open: {
      webhookUrl: "Messages to webhooks are as the database says.",
      notice: "Messages to webhooks are as the database says.",
      nonce: "Which try of a change wrote the row.",
      isOpen: "Whether a job has to begin or end the call.",
    },
  },
  console_sessions: {
    grants: "the admin API",
    row: {
      id: "con_1",
      tenantId: "ten_1",
      kind: "key",
      subject: "u1",
      issuer: "https://idp.test",
      name: "person:ann@corp.test",
      userId: "usr_1",
      role: "viewer",
      secretHash: "hash",
      proof: "proof",
      createdAt: 0,
      expiresAt: 1,
    },
    ...coded(codedSession),
    open: {},
  },
  audit_keys: {
    grants: "belief in seals",
    row: { id: "k", publicKey: "p", createdAt: 0, delivered: false },
    ...coded(auditKeyText),
    open: { createdAt: display, delivered: "Whether the home database has it too." },
  },
  credentials: {
    grants: "a provider's key",
    row: {
      id: "cred_1",
      tenantId: "ten_1",
      provider: "openai",
      name: "Name",
      baseUrl: null,
      place: { cloud: "azure", endpoint: "https://a.test", auth: "apiKey" },
      models: null,
      headerNames: ["x-own"],
      status: "active",
      createdAt: 0,
      updatedAt: 0,
      listing: null,
      lastCheck: null,
      listingDueAt: 0,
    },
    ...sealed(providerKeyOf),
    open: {
      listing: "Hides models from the choice, and offers none that the policy forbids.",
      listingDueAt: "When the provider's list is read again.",
      name: display,
      models: "No secret: what the endpoint is said to have.",
      status: display,
      lastCheck: display,
      createdAt: display,
      updatedAt: display,
    },
  },
  servers: {
    grants: "the secrets of a server's entry, at its addresses",
    row: {
      ...entry,
      slug: "s",
      headerNames: [],
      passHeaders: [],
      forwardAuthorization: false,
      sampling: "router",
      supportedModalities: false,
      auth: "keys",
      bridge: "fallback",
      parking: false,
      policy: {},
      learned: {},
      status: "active",
      createdAt: 0,
      updatedAt: 0,
    },
    ...sealed(secretsOf),
    open: Object.fromEntries(
      `slug headerNames passHeaders forwardAuthorization sampling supportedModalities auth bridge parking
       policy learned status createdAt updatedAt`
        .split(/\s+/)
        .map((column) => [column, "An entry's settings are as the database says: no secret."]),
    ),
  },
  credential_tokens: {
    grants: "a cloud's account",
    row: { tenantId: "ten_1", credentialId: "cred_1", ...tokenRow },
    ...sealed(({ tenantId, credentialId: id }: { tenantId: string; credentialId: string }) =>
      cloudTokenOf({ tenantId, id, provider: "azure", baseUrl: null }),
    ),
    open: tokenColumns,
  },
  server_tokens: {
    grants: "the tenant's account at a server",
    row: { tenantId: "ten_1", serverId: "srv_1", ...tokenRow },
    ...sealed(({ tenantId, serverId }: { tenantId: string; serverId: string }) =>
      tokenOf({ ...entry, tenantId, id: serverId }),
    ),
    open: tokenColumns,
  },
  user_tokens: {
    grants: "a person's own account at a server",
    row: {
      id: "i",
      tenantId: "ten_1",
      userId: "usr_1",
      shown: "key_1.hash",
      serverId: "srv_1",
      ...tokenRow,
    },
    ...sealed(
      ({ tenantId, serverId, ...owner }: AccountOwner & { tenantId: string; serverId: string }) =>
        tokenOf({ ...entry, tenantId, id: serverId }, owner),
    ),
    open: tokenColumns,
  },
  authorizations: {
    grants: "that somebody who comes back connects an account",
    row: {
      id: "state",
      tenantId: "ten_1",
      serverId: "srv_1",
      userId: "usr_1",
      shown: "sign-in",
      actor: "operator",
      expiresAt: 1,
    },
    ...sealed(
      ({
        tenantId,
        serverId,
        userId,
        shown,
        ...its
      }: AccountOwner & { tenantId: string; serverId: string; id: string; expiresAt: number }) =>
        pendingOf({ ...entry, tenantId, id: serverId }, { ...its, owner: { userId, shown } }),
    ),
    open: { actor: "Whom the event names." },
  },
  webhook_secrets: {
    grants: "signatures of messages",
    row: { id: "whk_1", tenantId: "ten_1", destination: null, createdAt: 0, endsAt: null },
    ...sealed(webhookSecretOf),
    open: { createdAt: display, endsAt: "Until when the secret signs too. It opens nothing here." },
  },
  sign_ins: {
    grants: "roles and calls, by an identity provider",
    row: { tenantId: "ten_1", issuer: "https://idp.test", updatedAt: 0 },
    ...sealed(signInSecretsOf),
    open: { updatedAt: display },
  },
  users: {
    grants: "who a person is, and which key their programs act as",
    row: { id: "usr_1", tenantId: "ten_1", finder: "f", keyId: "key_1", name: null, createdAt: 0 },
    write: async (row) => {
      const secrets = JSON.stringify({ key: "k", finder: row["finder"], keyId: row["keyId"] });
      return { ...row, sealed: await vault.seal(secrets, userSecretsOf(row as never)) };
    },
    counts: async (row) => (await openedUser({ vault }, row as never)) !== null,
    open: { name: display, createdAt: display, role: display, signedInAt: display },
  },
};

const none: Record<string, string> = {
  tenants: "Policies and ceilings are as the database says: docs/security-model.md says so.",
  model_overrides: "Prices and abilities are as the database says.",
  questions: "Answers are sealed, and open only for the question of their session.",
  sessions: "A session of MCP is its key's, which comes with each request.",
  sampling_requests: "Evidence. Its codes are in test/contract/store/insider.suite.ts.",
  seals: "Evidence, signed and chained.",
  record_numbers: "Evidence: gaps are found by the chain.",
  unreadable_records: "What was reported.",
  captures: "Content, sealed for its request.",
  results: "Content, sealed for its request.",
  idempotency: "Which call a repetition is. Its answer is sealed for that call.",
  counters: "What was used: limits are as the database says.",
  usage: "Figures.",
  grouped_usage: "Figures.",
  usage_totals: "Figures.",
  delivered_usage: "Figures.",
  delivered_latencies: "Figures.",
  latencies: "Figures.",
  latency_cursors: "Figures.",
  health: "Figures.",
  circuits: "Figures.",
  ledger_journal: "What was used, before it is in its own tables.",
  alerts: "What was reported.",
  admin_events: "What was reported.",
  webhook_messages: "What is to be sent.",
  audit_sinks: "How far a job has come.",
  outbox: "How far a job has come.",
  deliveries: "How far a job has come.",
  job_leases: "How far a job has come.",
  sealing: "How far a job has come.",
  write_probes: "Whether the database can be written.",
  cancellations: "Which call its caller gave up.",
  placements: "Where a tenant is. What is there, the tenant's id and the key's code say again.",
  catalogues: "Published models and prices.",
  catalogue_meta: "How far a job has come.",
};

async function everyTable(): Promise<Map<string, string[]>> {
  const folder = join(import.meta.dirname, "../../../src/store");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("schema.ts"),
  );
  const modules = await Promise.all(
    names.map((name): Promise<Row> => import(join(folder, name)) as Promise<Row>),
  );
  const found = new Map<string, string[]>();
  for (const value of modules.flatMap((module) => Object.values(module)))
    if (is(value, SQLiteTable)) {
      const columns = new Map(Object.entries(value).map(([key, column]) => [column, key]));
      found.set(
        getTableName(value),
        getTableConfig(value).columns.map((column) => columns.get(column) ?? column.name),
      );
    }
  return found;
}
const tables = await everyTable();

it("every table grants nothing, for a reason, or is covered by a code or a seal", () => {
  expect(tables.size).toBeGreaterThan(40);
  expect([...Object.keys(granting), ...Object.keys(none)].toSorted()).toEqual(
    [...tables.keys()].toSorted(),
  );
});

const other = (value: unknown): unknown => {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (Array.isArray(value)) return [...value, "admin"];
  if (typeof value === "object" && value !== null) return { ...value, usdPerDay: 1 };
  return value === null ? 5 : `${String(value)}x`;
};

describe.each(Object.entries(granting))("a row of %s", (table, { row, write, counts, open }) => {
  it("counts as the router wrote it", async () => {
    expect(await counts(await write(row))).toBe(true);
  });

  it("counts for nothing where a column was changed", async () => {
    const written = await write(row);
    const columns = tables.get(table) ?? [];
    const covered = columns.filter((column) => !Object.hasOwn(open, column));
    // A table that grants something has a code or a seal.
    expect(columns.some((column) => column === "code" || column === "sealed")).toBe(true);
    for (const column of covered) {
      expect(Object.keys(written), column).toContain(column);
      const value =
        column === "oauth"
          ? { tokenEndpoint: "https://b.test", authorizationEndpoint: null }
          : other(written[column]);
      expect(await counts({ ...written, [column]: value }), column).toBe(false);
    }
  });
});
