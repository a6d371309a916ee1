/** What a host hands to the composition: its runtime's ways to write, to call out and to open a database. */
import type { DatabaseFigures } from "../domain/audit/metrics.ts";
import type { RequestFeeds } from "../domain/ports/request-feed.ts";
import type { UpstreamFetch } from "../domain/ports/upstream.ts";
import type { ConsoleFiles } from "../domain/ports/console-files.ts";
import type { Room } from "../domain/limits/room.ts";
import type { AsyncResult, Refusal } from "../domain/refusals.ts";
import type { Residency } from "../domain/tenancy/residency.ts";
import type { WorkersAi } from "../providers/workers-ai.ts";
import type { Database, DatabaseOptions } from "../store/db.ts";
import type { AskServer } from "../store/engines/libsql/libsql-fetch.ts";
import type { WriteGroups } from "../store/engines/libsql/write-groups.ts";

export interface Host {
  /** One structured line. Ids, reasons and counts; never content. */
  log: (entry: Record<string, unknown>) => void;
  /** Calls providers, servers and everything else outside. */
  fetch: typeof fetch;
  /**
   * The same for documents that strangers name: refuses what resolves to a private address, and asks the address that
   * was judged. Absent: `fetch` does, where the runtime reaches no private network.
   */
  fetchPublic?: typeof fetch;
  /** The same for providers, who are asked with a text and answer with little more. Absent: `fetch` does. */
  fetchShort?: typeof fetch;
  /** The same for registered servers, which never redirects. Absent: `fetch` does. */
  fetchServer?: UpstreamFetch;
  /** Aborts when the process ends, for reads that no caller waits for. Absent: the runtime ends them by itself. */
  ends?: AbortSignal;
  /** Acts once the runtime has looked for what came from outside; absent: a timer of 0 ms does so. */
  immediately?: (act: () => void) => void;
  /** Asks a libSQL server; absent: the runtime's own way */
  fetchDatabase?: AskServer | undefined;
  /** The host's own database `home`; asked for where no libSQL server is set. */
  openOwnDatabase: (options: DatabaseOptions) => Database;
  /** The database of one tenant, where each has its own; absent: all tenants share `home` */
  openTenantDatabase?: (
    name: string,
    options: DatabaseOptions & { residency: Residency | null },
  ) => Database;
  /** How full the database of a name is; null, or absent: nobody bounds its size */
  roomOf?: (name: string) => (() => AsyncResult<Room>) | null;
  /** Feeds that the database of a name has for all isolates; null, or absent: each process follows by itself */
  feedsOf?: (name: string) => RequestFeeds | null;
  /** Why a tenant's own database can't be made there; null: it can. Absent: it can be made anywhere. */
  refusesResidency?: (residency: Residency) => Refusal | null;
  /**
   * Sends all writes of this process that wait for a libSQL server together. Absent: each is sent alone, since no
   * invocation of the Workers runtime may send for another.
   */
  writeGroupsOf?: (server: { url: string; authToken: string | null }) => WriteGroups;
  /** One process answers all requests, so its figures are the router's. Absent: many isolates do. */
  isOneProcess?: true;
  /** Of the database file of this process; absent: the database is elsewhere. */
  databaseFigures?: DatabaseFigures | undefined;
  /** absent: the console was not built for this host */
  consoleFiles?: ConsoleFiles | undefined;
  /** absent: this host has no such binding */
  workersAi?: WorkersAi | undefined;
}
