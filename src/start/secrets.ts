/** Generated secrets in the state directory, readable only by the owner. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { err, ok, type Result } from "../domain/result.ts";
import { startCommand } from "./called.ts";
import { reasonOf } from "./state-directory.ts";

const keyBytes = 32;

const kept = z.strictObject({
  /** absent if the environment sets them */
  masterKey: z
    .base64()
    .refine((text) => Buffer.from(text, "base64").length === keyBytes)
    .optional(),
  adminToken: z.string().min(16).optional(),
  /** API key of the demo tenant */
  demoKey: z.string().optional(),
  /** path of a completed database, relative to the state directory */
  database: z.string().optional(),
  /** credential name → keyed hash */
  credentials: z.record(z.string(), z.string()),
});
export type Kept = z.infer<typeof kept>;

export interface Secrets {
  masterKey: string;
  adminToken: string;
  /** `false` if the environment set it */
  adminTokenGenerated: boolean;
  kept: Kept;
  save(kept: Kept): void;
}

export function noteDatabase(secrets: Secrets, database: string): Secrets {
  if (secrets.kept.database === database) return secrets;
  const noted = { ...secrets.kept, database };
  secrets.save(noted);
  return { ...secrets, kept: noted };
}

const generate = (): string => randomBytes(keyBytes).toString("base64");
const generateToken = (): string => `sra_${randomBytes(keyBytes).toString("base64url")}`;

function read(path: string): Result<Kept, string> {
  if (!existsSync(path)) return ok({ credentials: {} });
  // A new master key would make all credentials unreadable.
  const hint = "restore it, or remove STATE_DIR to start over";
  try {
    const parsed = kept.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return parsed.success ? ok(parsed.data) : err(`STATE_DIR: ${path} is damaged; ${hint}`);
  } catch (cause) {
    return cause instanceof SyntaxError
      ? err(`STATE_DIR: ${path} is damaged; ${hint}`)
      : err(`STATE_DIR: ${path} can't be read: ${reasonOf(cause)}`);
  }
}

/** Creates nothing. */
export function keptAdminToken(stateDir: string): Result<string, string> {
  const path = join(stateDir, "secrets.json");
  if (!existsSync(path))
    return err(
      `no router was started with its state in ${stateDir}; run ${startCommand} first, or set STATE_DIR or ADMIN_TOKEN as at its start`,
    );
  const found = read(path);
  if (!found.ok) return found;
  return found.value.adminToken === undefined
    ? err("ADMIN_TOKEN is not set; the router was started with one from its environment")
    : ok(found.value.adminToken);
}

/** Creates nothing. */
export function keptMasterKey(stateDir: string): string | null {
  const found = read(join(stateDir, "secrets.json"));
  return found.ok ? (found.value.masterKey ?? null) : null;
}

/** Relative to the state directory. Creates nothing. */
export function keptDatabase(stateDir: string): string | null {
  const found = read(join(stateDir, "secrets.json"));
  return found.ok ? (found.value.database ?? null) : null;
}

function write(path: string, value: Kept): void {
  const whole = `${path}.${process.pid}`;
  writeFileSync(whole, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(whole, path);
}

/** Secrets of the environment win and are not stored. */
export function openSecrets(
  stateDir: string,
  given: { masterKey: string | undefined; adminToken: string | undefined },
): Result<Secrets, string> {
  const path = join(stateDir, "secrets.json");
  const found = read(path);
  if (!found.ok) return found;
  const masterKey = given.masterKey ?? found.value.masterKey ?? generate();
  const adminToken = given.adminToken ?? found.value.adminToken ?? generateToken();
  const value: Kept = {
    ...found.value,
    ...(given.masterKey === undefined && { masterKey }),
    ...(given.adminToken === undefined && { adminToken }),
  };
  write(path, value);
  return ok({
    masterKey,
    adminToken,
    adminTokenGenerated: given.adminToken === undefined,
    kept: value,
    save: (next) => write(path, next),
  });
}
