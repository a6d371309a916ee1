/** Processes of the bench's own. Each one ends when its parent does, however that one ends. */
import { fork } from "node:child_process";
import { join } from "node:path";
import type { Ending } from "../../src/start/ending.ts";

const readyWithinMs = 60_000;
const endsWithinMs = 8_000;
/** What it wrote last is read by then. */
const saidWithinMs = 100;

/**
 * Starts `file` of this directory and resolves with the first message that it sends.
 * @param about what it is to do, as JSON
 */
export function startChild<T>(
  file: string,
  about: object,
  ending: Ending,
): Promise<T & { pid: number }> {
  const child = fork(join(import.meta.dirname, file), [JSON.stringify(about)], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  // Not `close`: Node leaves that one out after a `disconnect` from this side.
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  ending.add(async () => {
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill("SIGKILL"), endsWithinMs);
    await ended;
    clearTimeout(timer);
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string) => (): void => reject(new Error(`${file} ${why}\n${said}`));
    const timer = setTimeout(fail("did not start in time"), readyWithinMs);
    child.once("exit", () => setTimeout(fail("ended"), saidWithinMs));
    child.once("message", (message) => {
      clearTimeout(timer);
      resolve({ ...(message as T), pid: child.pid ?? 0 });
    });
  });
}

/** The child's end of the channel. */
export function serveParent(message: object, stop: () => void | Promise<void>): void {
  process.once("disconnect", () => {
    Promise.resolve(stop()).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
  // Ctrl-C reaches everybody in the terminal; the parent says when.
  process.on("SIGINT", () => {});
  process.send?.(message);
}

/** What the parent asked of this process. */
export const about = (): unknown => JSON.parse(process.argv[2] ?? "{}");
