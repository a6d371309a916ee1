/** Where the databases of tests lie that are not about what survives a loss of power. */
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** More than all tests at once take; a container often has 64 MB. */
const minBytes = 2 * 2 ** 30;

function roomIn(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** In memory where there is room, since a commit there waits for no disk; else the system's own. */
export const memoryFolder = (): string =>
  process.env["TMPDIR"] === undefined && roomIn("/dev/shm") >= minBytes ? "/dev/shm" : tmpdir();
