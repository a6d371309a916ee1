/** Whether a port of this machine can be had. */
import { createServer } from "node:net";
import { err, ok, type Result } from "../domain/result.ts";

/** By binding it: nothing else tells. */
export function checkPort(port: number): Promise<Result<null, string>> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const problem =
        cause.code === "EADDRINUSE"
          ? `${port} is in use by another program; choose another one: PORT=${port + 1} npm start`
          : `${port} can't be bound: ${cause.code === "EACCES" ? "permission denied" : cause.code}`;
      resolve(err(`PORT ${problem}`));
    });
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(ok(null))));
  });
}
