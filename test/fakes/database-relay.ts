/** A relay of connections on loopback, in front of a database that goes away and comes back. */
import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

export interface DatabaseRelay {
  /** such as `http://127.0.0.1:40123` */
  url: string;
  /** Ends every connection, and refuses new ones until `comeBack`. */
  goAway(): void;
  comeBack(): void;
  /** Keeps what is said to the database, until `goOn`. */
  hold(): void;
  goOn(): void;
  /** How much is kept. */
  held(): number;
  stop(): Promise<void>;
}

export async function startDatabaseRelay(target: string): Promise<DatabaseRelay> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let away = false;
  /** null: nothing is held */
  let kept: (() => void)[] | null = null;
  const server = createServer((incoming) => {
    if (away) return void incoming.destroy();
    const onward = connect(Number(port), hostname);
    for (const [from, to] of [
      [incoming, onward],
      [onward, incoming],
    ] as const) {
      open.add(from);
      from.on("error", () => to.destroy());
      from.once("close", () => {
        open.delete(from);
        to.destroy();
      });
    }
    onward.pipe(incoming);
    incoming.once("end", () => onward.end());
    incoming.on("data", (part: Buffer) => {
      if (kept === null) onward.write(part);
      else kept.push(() => onward.write(part));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    goAway() {
      away = true;
      endAll();
    },
    comeBack() {
      away = false;
    },
    hold() {
      kept = [];
    },
    goOn() {
      for (const say of kept?.splice(0) ?? []) say();
      kept = null;
    },
    held: () => kept?.length ?? 0,
    async stop() {
      endAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
