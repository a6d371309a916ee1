/** Gateways of others that the router is measured beside, from a lockfile of their own. */
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import type { Ending } from "../../src/start/ending.ts";
import {
  areInstalled,
  folderOf,
  installPinned,
  installedVersion,
} from "../setup/pinned-packages.ts";
import { freePort, whenGone } from "../fakes/sqld.ts";

const pinned = join(import.meta.dirname, "peers");
const folder = folderOf("peers");
const portkeyName = "@portkey-ai/gateway";
const readyWithinMs = 30_000;
const connectWithinMs = 500;

export const portkeyVersion = (): string | null => installedVersion(folder, portkeyName);

/** Installed once, and by the bench alone, since nobody else needs 25 MB of another gateway. */
async function install(say: (line: string) => void): Promise<void> {
  if (areInstalled(pinned, folder)) return;
  say("installing what test/bench/peers names (25 MB, once)");
  await installPinned(pinned, folder);
}

const isOpen = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectWithinMs });
    const end = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });

/** Throws when other machines could reach that port. */
async function expectLoopbackOnly(port: number): Promise<void> {
  for (const { address, internal } of Object.values(networkInterfaces()).flatMap(
    (each) => each ?? [],
  ))
    if (!internal && !address.startsWith("fe80:") && (await isOpen(address, port)))
      throw new Error(`The gateway listens on ${address}, not on loopback alone.`);
}

/** Portkey's gateway, as its own command starts it for production. */
export async function startPortkey(
  ending: Ending,
  say: (line: string) => void,
  { streams }: { streams: boolean } = { streams: false },
): Promise<{ url: string; pid: number }> {
  await install(say);
  const port = await freePort();
  const program = join(folder, "node_modules", portkeyName, "build", "start-server.js");
  const preloads = ["loopback.mjs", ...(streams ? ["mutable-headers.mjs"] : [])].flatMap((file) => [
    "--import",
    join(pinned, file),
  ]);
  const child = spawn(process.execPath, [...preloads, program, "--headless", `--port=${port}`], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_ENV: "production",
      TRUSTED_CUSTOM_HOSTS: "127.0.0.1",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  const dismiss = whenGone(`kill -9 "$1"`, String(child.pid));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  ending.add(async () => {
    child.kill("SIGKILL");
    await ended;
    dismiss();
  });
  const until = performance.now() + readyWithinMs;
  while (!(await isOpen("127.0.0.1", port))) {
    if (child.exitCode !== null || performance.now() > until)
      throw new Error(`Portkey's gateway did not start:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await expectLoopbackOnly(port);
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0 };
}
