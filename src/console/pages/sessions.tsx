import { api, type Schemas } from "../api.ts";
import { capabilityText, countedCapabilities } from "../capability-text.ts";
import { fromNow } from "../format.ts";
import { useRead, valueIn } from "../load.ts";
import { column, type Column } from "../parts/columns.tsx";
import { ListPage, usePaging } from "../parts/list-page.tsx";
import type { Names } from "../parts/named.tsx";
import { ownPath } from "../place.ts";

type Session = Schemas["Session"];

type Servers = readonly Schemas["Server"][];

/** `null` without a server. */
function answererOf({ serverId, effective, ...its }: Session, servers: Servers): string | null {
  if (serverId === null) return null;
  const mode = servers.find(({ id }) => id === serverId)?.sampling;
  if (mode === "deny" || its.advertisedCapabilities?.["sampling"] === undefined) return "none";
  if (mode === "client-then-router")
    return Object.hasOwn(effective, "sampling") ? "the client" : "the router";
  return mode === undefined ? null : `the ${mode}`;
}

const columnsOf = (names: Names, servers: Servers): readonly Column<Session>[] => [
  column.of(
    "Session",
    ({ id }) => id,
    ({ id }) => (
      <a href={`${ownPath("/requests")}?session=${id}`} title={`Requests of ${id}`}>
        <code>{id.slice(-6)}</code>
      </a>
    ),
  ),
  column.text("Client", ({ clientInfo: { name, version } }) =>
    [name, version].filter((each) => typeof each === "string").join(" "),
  ),
  column.text("Key", ({ keyId }) => names[keyId] ?? keyId),
  { ...column.of("Server", ({ serverId: id }) => id && (names[id] ?? id)), isOptional: true },
  column.line("Revision", ({ revision }) => revision),
  column.of(
    "Client declared",
    ({ capabilities }) => JSON.stringify(capabilities),
    (session) =>
      Object.keys(session.capabilities).length === 0
        ? "nothing"
        : countedCapabilities(session).map(({ declared, counts }) => (
            <div key={declared}>
              {declared}
              {counts !== declared && <span class="faint">, counts as {counts}</span>}
            </div>
          )),
  ),
  column.text("Sampling by", (session) => answererOf(session, servers)),
  column.text("Announced", ({ advertisedCapabilities: its }) => its && capabilityText(its)),
  column.time("Last used", ({ lastUsedAt }) => lastUsedAt, fromNow),
  column.time("Ends", ({ expiresAt }) => expiresAt, fromNow),
];

export function Sessions() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/sessions");
  const servers = valueIn(useRead("/admin/v1/tenants/{tenant}/servers", { limit: 200 }));
  return (
    <ListPage
      title="Sessions"
      lead="Connected clients that use MCP 2025-11-25 or earlier: what each declared, and who answers sampling requests. Clients of later revisions have no sessions."
      paging={paging}
      columns={columnsOf(valueIn(paging.loading)?.names ?? {}, servers?.data ?? [])}
      nameOf={({ id }) => `session ${id.slice(-6)}`}
      empty={
        <>
          <p>
            No active sessions. One begins when a client of MCP 2025-11-25 or earlier connects to a
            server or to the router itself.
          </p>
          <a class="button" href={ownPath("/servers")}>
            Connect a client
          </a>
        </>
      }
      remove={{
        title: "End session",
        act: ({ id }) => api.DELETE("/admin/v1/tenants/{tenant}/sessions/{id}", { id }),
        question: () =>
          "Further requests are answered with 404, and the client must start a new session.",
      }}
    />
  );
}
