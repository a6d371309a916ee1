/** Parses the launcher's environment. Errors name the setting and never print secrets. */
import { hostIdentitySettings } from "../domain/tenancy/host-identity.ts";
import { operatorAwsSettings } from "../domain/tenancy/operator-aws.ts";
import { signInSettings } from "../domain/tenancy/sign-in.ts";
import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import { parseConfig, type Config } from "../config.ts";
import { sinkSettings } from "../domain/audit/sink-settings.ts";
import { openLimitSettings } from "../domain/limits/open-limits.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { Issuing } from "../domain/servers/issuing.ts";
import { isPackaged } from "./called.ts";
import { parseListening, type ListeningSettings } from "./listening.ts";
import type { ProxySettings } from "../node/proxies.ts";
import { proxySettings } from "./proxy-settings.ts";
import { providerSettings, type Environment, type ProviderSetting } from "./provider-settings.ts";

export interface LibsqlDatabase {
  url: string;
  authToken: string | null;
}

export interface Settings extends ListeningSettings {
  stateDir: string;
  /** s between scheduled runs */
  scheduleSeconds: number;
  /** defaults to the stored one */
  masterKey: string | undefined;
  adminToken: string | undefined;
  /** `null` for the embedded database */
  database: LibsqlDatabase | null;
  providers: ProviderSetting[];
  proxies: ProxySettings | null;
  issuer: Issuing["issuer"];
  /** for the machine's identity at its cloud */
  environment: Environment;
  /** for the Worker, unchanged */
  passedOn: Record<string, string>;
}

export const checkout = fileURLToPath(new URL("../../", import.meta.url));

/** The package's folder is replaced on update, so its state is in the working directory. */
const defaultStateDir = (): string =>
  isPackaged ? ".sampling-router" : resolve(checkout, ".state");

const defaultScheduleSeconds = "60";
const passedOn = [
  "MASTER_KEY_PREVIOUS",
  "ALLOWED_ORIGINS",
  "PUBLIC_URL",
  "CATALOGUE_URL",
  "AUDIT_WITNESS_URL",
  ...sinkSettings,
  ...operatorAwsSettings,
  ...hostIdentitySettings,
  "OAUTH_REFRESH_GRACE_SECONDS",
  "STREAM_SILENCE_SECONDS",
  "PARKED_SECONDS",
  "SESSION_TTL_HOURS",
  "SESSIONS_PER_KEY",
  "INITIALIZE_PER_MINUTE",
  ...openLimitSettings,
  "ROLLOUT_SECONDS",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_SERVICE_NAME",
  "OTEL_METRICS_EXPORTER",
  "METRICS_TENANTS",
  "DATABASE_URL",
  "DATABASE_AUTH_TOKEN",
  "DATABASE_WRITES_AT_ONCE",
  "TENANT_DATABASE_MB",
  ...signInSettings,
];

/** RFC 6750, section 2.1. */
const bearerToken = /^[A-Za-z0-9._~+/-]+=*$/;

/** Validates settings with placeholders for generated secrets. */
function checkWorker(env: Environment): Result<Config, string> {
  const config = parseConfig({
    ...env,
    DATABASE_URL: env["DATABASE_URL"] ?? "http://embedded.invalid",
    MASTER_KEY: env["MASTER_KEY"] ?? Buffer.alloc(32).toString("base64"),
    ADMIN_TOKEN: env["ADMIN_TOKEN"] ?? "generated on the first start",
  });
  if (config.ok) return config;
  const { setting, problem } = config.error;
  const hint = setting === "DATABASE_URL" ? "; leave it unset for the embedded database" : "";
  return err(`${setting} ${problem}${hint}`);
}

/** Compose files and CI leave variables empty. */
const present = (env: Environment): Environment =>
  Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );

export function parseSettings(environment: Environment): Result<Settings, string> {
  const env = present(environment);
  const listening = parseListening(env);
  if (!listening.ok) return listening;
  const scheduleSeconds = Number(env["SCHEDULE_SECONDS"] ?? defaultScheduleSeconds);
  if (!(scheduleSeconds > 0 && scheduleSeconds <= 86_400))
    return err(`SCHEDULE_SECONDS must be a number of seconds, at most a day`);
  if (!bearerToken.test(env["ADMIN_TOKEN"] ?? "x"))
    return err(
      "ADMIN_TOKEN may only contain letters, digits, and - . _ ~ + / =, as in a bearer token",
    );
  const worker = checkWorker(env);
  if (!worker.ok) return worker;
  const providers = providerSettings(env);
  if (!providers.ok) return providers;
  const proxies = proxySettings(env);
  if (!proxies.ok) return proxies;
  const url = env["DATABASE_URL"];
  return ok({
    ...listening.value,
    stateDir: resolve(env["STATE_DIR"] ?? defaultStateDir()),
    scheduleSeconds,
    masterKey: env["MASTER_KEY"],
    adminToken: env["ADMIN_TOKEN"],
    database: url === undefined ? null : { url, authToken: env["DATABASE_AUTH_TOKEN"] ?? null },
    providers: providers.value,
    proxies: proxies.value,
    issuer: worker.value.issuing.issuer,
    environment: env,
    passedOn: {
      // The locked state directory excludes other processes.
      ...(url === undefined && { ROLLOUT_SECONDS: "0" }),
      ALLOW_PRIVATE_UPSTREAMS: String(listening.value.allowPrivateUpstreams),
      ...Object.fromEntries(
        passedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
      ),
    },
  });
}
