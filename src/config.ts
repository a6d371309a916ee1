/** Parses the environment once. Errors name the setting, never the value. */
import { defaultLimitBytes } from "./domain/limits/room.ts";
import { parseOpenLimits, type OpenLimits } from "./domain/limits/open-limits.ts";
import { err, ok, type Result } from "./domain/result.ts";
import { parseSessionLimits, type SessionLimits } from "./domain/tenancy/session-limits.ts";
import { parseSink, type SinkTarget } from "./domain/audit/sink-settings.ts";
import { parseTelemetry, type TelemetrySettings } from "./domain/audit/telemetry-settings.ts";
import type { HostIdentityPermission } from "./domain/tenancy/host-identity.ts";
import { parseIdentities, type IdentityEnvironment } from "./domain/tenancy/operator-aws.ts";
import type { AwsKeys } from "./domain/models/cloud-place.ts";
import { parseSignIn, type SignInSecrets } from "./domain/tenancy/sign-in.ts";
import { publicUrlsIn } from "./domain/servers/own-origin.ts";
import { isLoopback, problemWithEndpoint } from "./domain/servers/upstreams.ts";
import { parseIssuing, type Issuing } from "./domain/servers/issuing.ts";
import { isDatabaseUrl } from "./domain/tenancy/database-names.ts";

export interface Bindings extends IdentityEnvironment {
  /** the Worker's Durable Objects, or the embedded file on Node */
  DATABASES?: object;
  DATABASE_URL?: string;
  DATABASE_AUTH_TOKEN?: string;
  DATABASE_WRITES_AT_ONCE?: string;
  MASTER_KEY?: string;
  MASTER_KEY_PREVIOUS?: string;
  ADMIN_TOKEN?: string;
  ALLOW_PRIVATE_UPSTREAMS?: string;
  ALLOWED_ORIGINS?: string;
  PUBLIC_URL?: string;
  DEMO_PROVIDER?: string;
  OAUTH_REFRESH_GRACE_SECONDS?: string;
  STREAM_SILENCE_SECONDS?: string;
  PARKED_SECONDS?: string;
  SESSION_TTL_HOURS?: string;
  SESSIONS_PER_KEY?: string;
  INITIALIZE_PER_MINUTE?: string;
  ROLLOUT_SECONDS?: string;
  TENANT_DATABASE_MB?: string;
  CATALOGUE_URL?: string;
  OPEN_REQUESTS_PER_KEY?: string;
  OPEN_STREAMS_PER_KEY?: string;
  OPEN_REQUESTS_PER_TENANT?: string;
  OPEN_STREAMS_PER_TENANT?: string;
  AUDIT_WITNESS_URL?: string;
  AUDIT_SINK_URL?: string;
  AUDIT_SINK_REGION?: string;
  AUDIT_SINK_ACCESS_KEY_ID?: string;
  AUDIT_SINK_SECRET_ACCESS_KEY?: string;
  AUDIT_SINK_LOCK_DAYS?: string;
  AUDIT_SINK_WEBHOOK_SECRET?: string;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  OTEL_EXPORTER_OTLP_HEADERS?: string;
  OTEL_SERVICE_NAME?: string;
  OTEL_METRICS_EXPORTER?: string;
  METRICS_TENANTS?: string;
  SIGN_IN_KIND?: string;
  SIGN_IN_ISSUER?: string;
  SIGN_IN_CLIENT_ID?: string;
  SIGN_IN_CLIENT_SECRET?: string;
  SIGN_IN_CLAIM?: string;
  SIGN_IN_ROLES?: string;
}

export type DatabaseConfig =
  /** Durable Objects or an embedded file */
  { kind: "own" } | { kind: "libsql"; url: string; authToken: string | null };

interface Secrets {
  /** 32 bytes */
  masterKey: Uint8Array<ArrayBuffer>;
  previousMasterKey: Uint8Array<ArrayBuffer> | null;
  adminToken: string;
}

export interface Config extends Secrets, TelemetrySettings {
  database: DatabaseConfig;
  /** per process and database; `null` for the default */
  writesAtOnce: number | null;
  allowPrivateUpstreams: boolean;
  /** browser origins; the Worker's own is always allowed */
  allowedOrigins: string[];
  /** in addition to the request's origin */
  publicOrigins: string[];
  /** including gateways' paths */
  publicUrls: string[];
  issuing: Issuing;
  demoProvider: boolean;
  /** between two events of a provider's stream; `null` for the default */
  streamSilenceMs: number | null;
  /** for which a call waits at a server for its client's answer */
  parkedMs: number;
  sessionTtlMs: number;
  sessionLimits: SessionLimits;
  /** per process */
  openLimits: OpenLimits;
  /** during which processes with the former MASTER_KEY may run */
  rolloutMs: number;
  /** URL of models.dev's `api.json` */
  catalogueUrl: string | null;
  witnessUrl: string | null;
  sink: SinkTarget | null;
  /** the operator's identity provider */
  signIn: SignInSecrets | null;
  operatorAws: AwsKeys | null;
  hostIdentity: HostIdentityPermission;
  toJSON(): string;
}

export interface ConfigFault {
  setting: string;
  problem: string;
}

const masterKeyBytes = 32;
const minTokenCharacters = 16;
const defaultSessionTtlHours = 24;
const defaultRolloutSeconds = 600;
const hourMs = 3_600_000;
export const defaultCatalogueUrl = "https://models.dev/api.json";

const fault = (setting: string, problem: string): Result<never, ConfigFault> =>
  err({ setting, problem });

function keyOf(setting: string, text: string): Result<Uint8Array<ArrayBuffer>, ConfigFault> {
  const wrong = fault(setting, `must be ${masterKeyBytes} bytes in base64`);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return wrong;
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return bytes.length === masterKeyBytes ? ok(bytes) : wrong;
  } catch {
    return wrong;
  }
}

function databaseOf({ DATABASES, ...env }: Bindings): Result<DatabaseConfig, ConfigFault> {
  if (env.DATABASE_URL === undefined || env.DATABASE_URL === "")
    return DATABASES === undefined
      ? fault("DATABASE_URL", "is missing, and there is no Durable Object binding DATABASES")
      : ok({ kind: "own" });
  if (!isDatabaseUrl(env.DATABASE_URL))
    return fault("DATABASE_URL", "must be a libsql:, https: or http: URL");
  return ok({ kind: "libsql", url: env.DATABASE_URL, authToken: env.DATABASE_AUTH_TOKEN ?? null });
}

export const isHttpUrl = (text: string): boolean =>
  ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "");

/** Like upstreams, but loopback needs no https. */
function isWitness(text: string, allowPrivate: boolean): boolean {
  const hostname = URL.parse(text)?.hostname ?? "";
  return problemWithEndpoint(text, { allowPrivate: allowPrivate || isLoopback(hostname) }) === null;
}

/** Comma-separated. */
const listIn = (text: string | undefined): string[] =>
  (text ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

function secretsOf(env: Bindings): Result<Secrets, ConfigFault> {
  if (env.MASTER_KEY === undefined) return fault("MASTER_KEY", "is missing");
  const masterKey = keyOf("MASTER_KEY", env.MASTER_KEY);
  if (!masterKey.ok) return masterKey;
  const previous =
    env.MASTER_KEY_PREVIOUS === undefined || env.MASTER_KEY_PREVIOUS === ""
      ? ok(null)
      : keyOf("MASTER_KEY_PREVIOUS", env.MASTER_KEY_PREVIOUS);
  if (!previous.ok) return previous;
  const adminToken = env.ADMIN_TOKEN;
  if (adminToken === undefined) return fault("ADMIN_TOKEN", "is missing");
  if (adminToken.length < minTokenCharacters)
    return fault("ADMIN_TOKEN", `must be at least ${minTokenCharacters} characters`);
  return ok({ masterKey: masterKey.value, previousMasterKey: previous.value, adminToken });
}

function sessionTtlOf(env: Bindings): Result<number, ConfigFault> {
  const hours = Number(env.SESSION_TTL_HOURS ?? defaultSessionTtlHours);
  return hours > 0 && hours <= 24 * 365
    ? ok(hours * hourMs)
    : fault("SESSION_TTL_HOURS", "must be a number of hours");
}

/** ms */
function secondsOf<Unset>(
  env: Bindings,
  setting: "PARKED_SECONDS" | "ROLLOUT_SECONDS" | "STREAM_SILENCE_SECONDS",
  unless: Unset,
): Result<number | Unset, ConfigFault> {
  const text = env[setting]?.trim() ?? "";
  const [atLeast, atMost] = setting === "ROLLOUT_SECONDS" ? [0, 86_400] : [1, 3_600];
  const seconds = Number(text);
  if (text === "") return ok(unless);
  return seconds >= atLeast && seconds <= atMost
    ? ok(seconds * 1_000)
    : fault(setting, `must be a number of seconds from ${atLeast} to ${atMost}`);
}

function catalogueUrlOf(env: Bindings): Result<string | null, ConfigFault> {
  const url = env.CATALOGUE_URL || defaultCatalogueUrl;
  if (url === "off") return ok(null);
  return isHttpUrl(url)
    ? ok(url)
    : fault("CATALOGUE_URL", "must be an http: or https: URL, or off");
}

function givenWritesAtOnce(env: Bindings): Result<number | null, ConfigFault> {
  const text = env.DATABASE_WRITES_AT_ONCE ?? "";
  if (!/^([1-9][0-9]{0,2})?$/.test(text))
    return fault("DATABASE_WRITES_AT_ONCE", "must be a number from 1 to 999");
  return ok(text === "" ? null : Number(text));
}

/** Bytes. Read by an object before other settings. */
export function tenantDatabaseBytesOf({
  TENANT_DATABASE_MB: text = "",
}: Pick<Bindings, "TENANT_DATABASE_MB">): Result<number, ConfigFault> {
  if (!/^([1-9][0-9]{0,4})?$/.test(text.trim()))
    return fault("TENANT_DATABASE_MB", "must be a whole number from 1 to 99999");
  return ok(text.trim() === "" ? defaultLimitBytes : Number(text) * 1_000_000);
}

function witnessUrlOf(env: Bindings): Result<string | null, ConfigFault> {
  const url = env.AUDIT_WITNESS_URL ?? "";
  if (url === "") return ok(null);
  return isWitness(url, env.ALLOW_PRIVATE_UPSTREAMS === "true")
    ? ok(url)
    : fault(
        "AUDIT_WITNESS_URL",
        "must be an https: URL, or an http: one of this machine, without user info and fragment",
      );
}

function auditPlacesOf(env: Bindings): Result<Pick<Config, "witnessUrl" | "sink">, ConfigFault> {
  const witnessUrl = witnessUrlOf(env);
  if (!witnessUrl.ok) return witnessUrl;
  const sink = parseSink(env, (url) => isWitness(url, env.ALLOW_PRIVATE_UPSTREAMS === "true"));
  return sink.ok ? ok({ witnessUrl: witnessUrl.value, sink: sink.value }) : sink;
}

export function parseConfig(env: Bindings): Result<Config, ConfigFault> {
  const database = databaseOf(env);
  if (!database.ok) return database;
  const secrets = secretsOf(env);
  if (!secrets.ok) return secrets;
  const sessionTtlMs = sessionTtlOf(env);
  if (!sessionTtlMs.ok) return sessionTtlMs;
  const sessionLimits = parseSessionLimits(env);
  if (!sessionLimits.ok) return sessionLimits;
  const rolloutMs = secondsOf(env, "ROLLOUT_SECONDS", defaultRolloutSeconds * 1_000);
  if (!rolloutMs.ok) return rolloutMs;
  const streamSilenceMs = secondsOf(env, "STREAM_SILENCE_SECONDS", null);
  if (!streamSilenceMs.ok) return streamSilenceMs;
  const parkedMs = secondsOf(env, "PARKED_SECONDS", 300_000);
  if (!parkedMs.ok) return parkedMs;
  const catalogueUrl = catalogueUrlOf(env);
  if (!catalogueUrl.ok) return catalogueUrl;
  const writesAtOnce = givenWritesAtOnce(env);
  if (!writesAtOnce.ok) return writesAtOnce;
  const publicUrls = publicUrlsIn(listIn(env.PUBLIC_URL));
  if (publicUrls === null)
    return fault("PUBLIC_URL", "must be http: or https: URLs, separated by commas");
  const issuing = parseIssuing(env, publicUrls);
  if (!issuing.ok) return issuing;
  const openLimits = parseOpenLimits(env);
  if (!openLimits.ok) return openLimits;
  const tenantDatabaseBytes = tenantDatabaseBytesOf(env);
  if (!tenantDatabaseBytes.ok) return tenantDatabaseBytes;
  const auditPlaces = auditPlacesOf(env);
  if (!auditPlaces.ok) return auditPlaces;
  const signIn = parseSignIn(env);
  if (!signIn.ok) return signIn;
  const identities = parseIdentities(env);
  if (!identities.ok) return identities;
  const telemetry = parseTelemetry(env);
  if (!telemetry.ok) return telemetry;
  return ok({
    ...secrets.value,
    database: database.value,
    writesAtOnce: writesAtOnce.value,
    allowPrivateUpstreams: env.ALLOW_PRIVATE_UPSTREAMS === "true",
    allowedOrigins: listIn(env.ALLOWED_ORIGINS),
    publicOrigins: publicUrls.map((url) => new URL(url).origin),
    publicUrls,
    issuing: issuing.value,
    demoProvider: env.DEMO_PROVIDER === "true",
    streamSilenceMs: streamSilenceMs.value,
    parkedMs: parkedMs.value,
    sessionTtlMs: sessionTtlMs.value,
    sessionLimits: sessionLimits.value,
    openLimits: openLimits.value,
    rolloutMs: rolloutMs.value,
    catalogueUrl: catalogueUrl.value,
    ...auditPlaces.value,
    ...telemetry.value,
    signIn: signIn.value,
    ...identities.value,
    toJSON: () => "[config]", // Printing a Config must not reveal secrets.
  });
}
