import { createServer } from "node:net";
import { err, ok, type Result } from "../domain/result.ts";
import { startCommand } from "./called.ts";

const notHere = new Set(["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EINVAL"]);

/** By binding it, the only reliable test. */
export function checkPort(port: number, host: string): Promise<Result<null, string>> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const problem =
        cause.code === "EADDRINUSE"
          ? `PORT ${port} is in use by another program; choose another one: PORT=${port + 1} ${startCommand}`
          : notHere.has(cause.code ?? "")
            ? `HOST ${host} isn't an address of this machine`
            : `PORT ${port} can't be bound: ${cause.code === "EACCES" ? "permission denied" : cause.code}`;
      resolve(err(problem));
    });
    server.listen(port, host, () => server.close(() => resolve(ok(null))));
  });
}
