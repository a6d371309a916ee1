import type { DatabaseFigures } from "../domain/audit/metrics.ts";
import type { HostIdentity } from "../domain/ports/cloud-tokens.ts";
import type { RequestFeeds } from "../domain/ports/request-feed.ts";
import type { UpstreamFetch } from "../domain/ports/upstream.ts";
import type { ConsoleFiles } from "../domain/ports/console-files.ts";
import type { Room } from "../domain/limits/room.ts";
import type { AsyncResult, Refusal } from "../domain/refusals.ts";
import type { Residency } from "../domain/tenancy/residency.ts";
import type { Jurisdiction } from "../domain/tenancy/tenant-databases.ts";
import type { WorkersAi } from "../providers/workers-ai.ts";
import type { Database, DatabaseOptions } from "../store/db.ts";
import type { FetchDatabase } from "../store/engines/libsql/libsql-fetch.ts";
import type { WriteGroups } from "../store/engines/libsql/write-groups.ts";

export interface Host {
  /** One structured line of ids, reasons, and counts; never content. */
  log: (entry: Record<string, unknown>) => void;
  fetch: typeof fetch;
  /**
   * For unauthenticated URLs: rejects private addresses after resolving. Defaults to `fetch`, on runtimes
   * without private networks.
   */
  fetchPublic?: typeof fetch;
  /** For providers: short requests and answers. Defaults to `fetch`. */
  fetchShort?: typeof fetch;
  /** Absent on Workers. */
  identity?: HostIdentity;
  /** For registered servers, without redirects. Defaults to `fetch`. */
  fetchServer?: UpstreamFetch;
  /** Aborts background reads when the process ends. */
  ends?: AbortSignal;
  /** Aborts when a shutdown begins: ends subscriptions, and calls that only this process can continue. Absent on Workers. */
  drains?: AbortSignal;
  /** Runs after pending I/O; defaults to a 0 ms timer. */
  immediately?: (act: () => void) => void;
  /** defaults to the runtime's `fetch` */
  fetchDatabase?: FetchDatabase | undefined;
  /** `home`, unless a libSQL server is configured. */
  openOwnDatabase: (options: DatabaseOptions) => Database;
  /** absent if all tenants share `home` */
  openTenantDatabase?: (
    name: string,
    options: DatabaseOptions & { residency: Residency | null },
  ) => Database;
  /** `null` or absent if unbounded */
  roomOf?: (name: string) => (() => AsyncResult<Room>) | null;
  /** `null` or absent if each process polls */
  feedsOf?: (name: string) => RequestFeeds | null;
  /**
   * Sends a client's request to the object of its parked call, in the jurisdiction of the tenant's data. `owner` null: a new
   * object. Absent if the process keeps parked calls.
   */
  forwardParked?: (
    request: Request,
    to: { owner: string | null; jurisdiction: Jurisdiction | null },
  ) => Promise<Response>;
  /** Absent if any location works. */
  refusesResidency?: (residency: Residency) => Refusal | null;
  /** Batches writes for a libSQL server. Absent on Workers, whose invocations can't send for each other. */
  writeGroupsOf?: (server: { url: string; authToken: string | null }) => WriteGroups;
  /** Metrics of this process are the router's. */
  isOneProcess?: true;
  /** of an embedded database */
  databaseFigures?: DatabaseFigures | undefined;
  consoleFiles?: ConsoleFiles | undefined;
  workersAi?: WorkersAi | undefined;
}
