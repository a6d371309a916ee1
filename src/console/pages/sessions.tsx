import { api, type Schemas } from "../api.ts";
import { capabilityText } from "../capability-text.ts";
import { count, fromNow, none } from "../format.ts";
import { useRead, valueIn } from "../load.ts";
import { column, type Column } from "../parts/columns.tsx";
import { Fields } from "../parts/form.tsx";
import { ListPage, NoMatch, useQuery, useSearched } from "../parts/list-page.tsx";
import type { Names } from "../parts/named.tsx";
import { ownPath } from "../place.ts";

type Session = Schemas["Session"];

const filters = [{ name: "find", title: "Find", placeholder: "client, key, or server" }] as const;

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
    ({ id }) => <code title={id}>{id.slice(-6)}</code>,
  ),
  column.text("Client", ({ clientInfo: { name, version } }) =>
    [name, version].filter((each) => typeof each === "string").join(" "),
  ),
  column.text("Key", ({ keyId }) => names[keyId] ?? keyId),
  { ...column.of("Server", ({ serverId: id }) => id && (names[id] ?? id)), isOptional: true },
  { ...column.line("MCP", ({ revision }) => revision), isWide: true },
  column.of(
    "Client supports",
    ({ capabilities }) => JSON.stringify(capabilities),
    ({ capabilities, effective }) => {
      const [declared, used] = [capabilityText(capabilities), capabilityText(effective)];
      if (declared === "nothing") return none;
      return [declared, used !== declared && <div class="faint">the router uses {used}</div>];
    },
  ),
  column.text("Model calls by", (session) => answererOf(session, servers)),
  column.file("Server may use", ({ advertisedCapabilities: its }) => its && capabilityText(its)),
  column.of(
    "Requests",
    ({ requests }) => requests,
    ({ id, requests }) =>
      requests === 0 ? 0 : <a href={`${ownPath("/requests")}?session=${id}`}>{count(requests)}</a>,
  ),
  column.time("Last used", ({ lastUsedAt }) => lastUsedAt, fromNow),
  { ...column.time("Ends", ({ expiresAt }) => expiresAt, fromNow), isWide: true },
];

export function Sessions() {
  const [{ find = "" }, , type] = useQuery();
  const paging = useSearched("/admin/v1/tenants/{tenant}/sessions", find !== "");
  const servers = valueIn(useRead("/admin/v1/tenants/{tenant}/servers", { limit: 200 }));
  const columns = columnsOf(valueIn(paging.loading)?.names ?? {}, servers?.data ?? []);
  const isFound = (session: Session): boolean =>
    columns.some(({ text }) =>
      `${text?.(session) ?? ""}`.toLowerCase().includes(find.toLowerCase()),
    );
  return (
    <ListPage
      title="Sessions"
      lead="Connections of clients that use MCP 2025-11-25 or earlier, with what each supports, and who answers when a server asks for a model. End one if its client is stuck, or to apply changes of its server: the client connects again."
      paging={paging}
      keep={isFound}
      columns={columns}
      nameOf={({ id }) => `session ${id.slice(-6)}`}
      empty={
        find !== "" ? (
          <NoMatch clear={() => type({ find: "" })} />
        ) : (
          <>
            <p>
              No active sessions. One begins when a client of MCP 2025-11-25 or earlier connects to
              a server or to the router itself.
            </p>
            <a class="button" href={ownPath("/servers")}>
              Connect a client
            </a>
          </>
        )
      }
      remove={{
        title: "End session",
        act: ({ id }) => api.DELETE("/admin/v1/tenants/{tenant}/sessions/{id}", { id }),
        question: () =>
          "Further requests are answered with 404, and the client must start a new session.",
      }}
    >
      <div class="filters">
        <Fields of={filters} draft={{ find }} change={type} />
      </div>
    </ListPage>
  );
}
