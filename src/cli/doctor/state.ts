/** Permissions, secrets, and free space of the state directory and `.env`. */
import { existsSync, lstatSync, readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../../start/called.ts";
import { keptAdminToken, keptMasterKey } from "../../start/secrets.ts";
import type { Settings } from "../../start/settings.ts";
import { faulty, fine, warning, type Finding } from "./finding.ts";

const othersBits = 0o077;
const minFreeBytes = 512 * 1024 * 1024;

const modeOf = (path: string): number => lstatSync(path).mode & 0o777;
const shown = (mode: number): string => mode.toString(8).padStart(4, "0");

/** Windows has no modes. */
function openToOthers(path: string): Finding[] {
  if (process.platform === "win32" || !existsSync(path)) return [];
  const mode = modeOf(path);
  return (mode & othersBits) === 0
    ? []
    : [
        faulty(
          "permissions",
          `${path} is accessible to other users (mode ${shown(mode)}) and contains secrets`,
          `chmod ${lstatSync(path).isDirectory() ? "700" : "600"} ${path}; if others use this machine, change the secrets too.`,
        ),
      ];
}

export function permissionsOf({ stateDir }: Settings, folder: string): Finding[] {
  const paths = [stateDir, join(stateDir, "secrets.json"), join(folder, ".env")];
  const found = paths.flatMap(openToOthers);
  const there = paths.filter((path) => existsSync(path));
  if (found.length > 0) return found;
  return [
    fine(
      "permissions",
      there.length === 0 ? "nothing is there yet" : `private to its owner: ${there.join(", ")}`,
    ),
  ];
}

export function roomOf({ stateDir }: Settings): Finding[] {
  if (!existsSync(stateDir)) return [];
  const { bavail, bsize } = statfsSync(stateDir);
  const megabytes = Math.floor((bavail * bsize) / 1024 / 1024);
  return bavail * bsize >= minFreeBytes
    ? [fine("room", `${megabytes} MB are free where STATE_DIR is`)]
    : [
        warning(
          "room",
          `${megabytes} MB are free where STATE_DIR is`,
          "Free some space: calls are refused on a full disk.",
        ),
      ];
}

function isDamaged(path: string): boolean {
  try {
    JSON.parse(readFileSync(path, "utf8"));
    return false;
  } catch {
    return true;
  }
}

export function secretsOf(settings: Settings): Finding[] {
  const { stateDir, masterKey, adminToken, passedOn } = settings;
  const file = join(stateDir, "secrets.json");
  const check = "secrets";
  if (existsSync(file) && isDamaged(file))
    return [
      faulty(
        check,
        `${file} is damaged`,
        "Restore it from a copy: credentials can't be opened without the master key.",
      ),
    ];
  const found: Finding[] = [];
  const isStarted = existsSync(file);
  const hasMasterKey = masterKey !== undefined || keptMasterKey(stateDir) !== null;
  const hasToken = adminToken !== undefined || (isStarted && keptAdminToken(stateDir).ok);
  if (isStarted && (!hasMasterKey || !hasToken))
    found.push(
      faulty(
        check,
        `${hasMasterKey ? "ADMIN_TOKEN" : "MASTER_KEY"} is neither set nor stored: the router was started with one from its environment`,
        "Set it as at the start: a new MASTER_KEY can't open credentials.",
      ),
    );
  if (passedOn["MASTER_KEY_PREVIOUS"] !== undefined)
    found.push(
      warning(
        check,
        "MASTER_KEY_PREVIOUS is set: a master key rotation is in progress",
        "Unset it once everything is resealed; see docs/master-key.md.",
      ),
    );
  if (found.length > 0) return found;
  return [
    fine(
      check,
      isStarted
        ? `MASTER_KEY ${masterKey === undefined ? "kept in STATE_DIR" : "set"}, ADMIN_TOKEN ${adminToken === undefined ? "kept" : "set"}`
        : `none yet; the first ${startCommand} creates missing ones`,
    ),
  ];
}
