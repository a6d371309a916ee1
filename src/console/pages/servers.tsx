import { useState } from "preact/hooks";
import { installSnippets, keyVariable } from "../../domain/servers/install.ts";
import { api, type Schemas } from "../api.ts";
import { counted, fromNow, shortTime } from "../format.ts";
import { useLoaded } from "../load.ts";
import { column, type Column } from "../parts/columns.tsx";
import { CodeBlock, Secret } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Form } from "../parts/form.tsx";
import { healthColumns, type Seen } from "../parts/health.tsx";
import { ListPage, usePaging, type Ends } from "../parts/list-page.tsx";
import { There } from "../parts/page.tsx";
import { lastUse, RequestsOf, useSpend } from "../parts/spend.tsx";
import { stopsNow } from "../parts/stopped.tsx";
import { routerUrl, tenantHere } from "../place.ts";
import { stopsServer } from "../switches.ts";
import { ChangeServer, NewServer, samplings } from "./server-forms.tsx";

type Server = Schemas["Server"];

type Spend = ReturnType<typeof useSpend<Server>>;

function seenOf(server: Server, spend: Spend): Seen {
  const { slug, policy, status } = server;
  const { lastCheck: check } = server.learned;
  const usedAt = spend.of(server)?.lastUsedAt ?? 0;
  // Usage is known by the hour. Errors count more than use.
  const isUsed = Date.now() - usedAt < 7_200_000 && check?.ok !== false;
  const states = {
    stopped: stopsServer(stopsNow.value, slug),
    disabled: policy.disabled === true,
    "sign-in rejected": status === "failing",
    "check failed": check?.ok === false,
    works: isUsed || check !== undefined,
  };
  const [state = "not checked"] = Object.entries(states).find(([, is]) => is) ?? [];
  const checked = check ? `checked ${fromNow(check.at)}` : "";
  return {
    state,
    when: isUsed && state === "works" ? `used ${lastUse(usedAt)}` : checked,
    check,
    fault: check?.ok === false ? check.detail : null,
  };
}

/** `null` without OAuth. */
function accountOf({ oauth }: Server): string | null {
  if (oauth?.grant === "client_credentials") return "a machine";
  return oauth && (oauth.per === "user" ? "each person" : "one account");
}

const verbs = ["Check", "Authorize", "Connect", "Change"] as const;
const verbsOf = (server: Server) =>
  verbs.filter((verb) => verb !== "Authorize" || accountOf(server) === "one account");

const eras = { legacy: "to 2025-11-25", modern: "2026-07-28", unknown: null };
/** As used, or else as the last check found. */
const revisionsOf = ({ era, lastCheck }: Server["learned"]): string | null =>
  eras[era ?? lastCheck?.era ?? "unknown"];

/** "2 tools, MCP to 2025-11-25, sampling: client then router" */
const textOf = ({ sampling, learned }: Server): string =>
  [
    typeof learned.lastCheck?.tools === "number" && counted(learned.lastCheck.tools, "tool"),
    revisionsOf(learned) && `MCP ${revisionsOf(learned)}`,
    sampling !== "router" && `sampling: ${sampling.replaceAll("-", " ")}`,
  ]
    .filter(Boolean)
    .join(", ");

const columnsOf = (spend: Spend): readonly Column<Server>[] => [
  column.of(
    "Server",
    ({ slug }) => slug,
    (server) => (
      <>
        <RequestsOf by="server" id={server.id} name={server.slug} />
        <div>
          <code class="wraps faint">{server.url}</code>
        </div>
        <small class="faint" title={`Sampling requests: ${samplings[server.sampling]}`}>
          {textOf(server)}
        </small>
      </>
    ),
  ),
  column.file("Address", ({ url }) => url),
  ...healthColumns<Server>((row) => seenOf(row, spend)),
  ...spend.columns,
  column.file("Who answers", ({ sampling }) => samplings[sampling]),
  column.file("Revisions", ({ learned }) => revisionsOf(learned)),
  column.file("Tools", ({ learned }) => learned.lastCheck?.tools ?? null),
  column.text("OAuth", accountOf),
];

const urlOf = (server: string): string => `${routerUrl}/mcp/${tenantHere()}/${server}`;

type OfServer = { server: string; again: () => Promise<void> };

function Check({ server, again }: OfServer) {
  const loading = useLoaded(`check of ${server}`, async () => {
    const found = await api.POST("/admin/v1/tenants/{tenant}/servers/{server}/check", { server });
    void again();
    return found;
  });
  return (
    <There what="the server’s answer" loading={loading}>
      {({ ok, detail }) => (
        <div class={`notice ${ok ? "good" : "bad"}`} role="status">
          <strong>{ok ? "The server works." : "The router can’t use the server."}</strong>
          <p>{detail}</p>
        </div>
      )}
    </There>
  );
}

function Authorize({ server }: OfServer) {
  const loading = useLoaded(`authorization of ${server}`, () =>
    api.POST("/admin/v1/tenants/{tenant}/servers/{server}/authorize", { server }),
  );
  return (
    <There what="the server’s sign-in" loading={loading}>
      {({ authorizationUrl }) => (
        <p>
          Open this address within ten minutes to authorize the router:{" "}
          <a
            {...(/^https?:/.test(authorizationUrl) && { href: authorizationUrl })}
            target="_blank"
            rel="noreferrer"
          >
            {authorizationUrl}
          </a>
        </p>
      )}
    </There>
  );
}

/** How a client that used the server directly uses it through the router. */
function Connect({ server }: Pick<OfServer, "server">) {
  const [key, setKey] = useState<string | null>(null);
  const [isSaved, setSaved] = useState(false);
  const url = urlOf(server);
  const name = `client of ${server}, ${shortTime(Date.now())}`;
  const make = () =>
    api.POST("/admin/v1/tenants/{tenant}/keys", { body: { name, scopes: ["proxy", "sampling"] } });
  return (
    <div class="stack">
      <p>
        In each client, replace the server’s address by the router’s, and set{" "}
        <code>{keyVariable}</code> to an API key with the scopes proxy and sampling.
      </p>
      <CodeBlock title="Address" text={url} />
      {key === null && (
        <Form submit="Create a key for a client" act={make} onDone={(made) => setKey(made.key)} />
      )}
      {key !== null && !isSaved && (
        <Secret title={keyVariable} secret={key} onDone={() => setSaved(true)}>
          <p>The settings below contain it, too.</p>
        </Secret>
      )}
      {installSnippets({ url, name: server, key }).map(({ client, where, text, link }) => (
        <details key={client}>
          <summary>{client}</summary>
          {link !== null && <a href={link}>Add to {client}</a>}
          <CodeBlock title={`${client}, ${where}`} text={text} />
        </details>
      ))}
    </div>
  );
}

const parts = { Check, Authorize, Connect, Change: ChangeServer };

/** Then checks the server and shows how clients use it. */
function Register({ again, onDone, onClose }: Ends & Pick<OfServer, "again">) {
  const [server, setServer] = useState<string>();
  if (server === undefined) return <NewServer {...{ onClose }} onDone={setServer} />;
  return (
    <Dialog title={`Connect ${server}`} onClose={onDone}>
      <Check {...{ server, again }} />
      <Connect {...{ server }} />
    </Dialog>
  );
}

export function Servers() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/servers");
  const { again } = paging.loading;
  return (
    <ListPage
      title="Servers"
      lead="MCP servers behind the router, which answers their sampling requests, with this month’s spend and requests."
      paging={paging}
      columns={columnsOf(useSpend("server", ({ policy }) => policy.limits))}
      nameOf={({ slug }) => slug}
      verbs={verbsOf}
      empty="No servers yet. Register one and give its clients the router’s address."
      make={{ title: "New server", dialog: (ends) => <Register {...{ again, ...ends }} /> }}
      remove={{
        title: "Delete server",
        act: ({ slug: server }) =>
          api.DELETE("/admin/v1/tenants/{tenant}/servers/{server}", { server }),
        question: ({ slug }) =>
          `Clients of ${urlOf(slug)} are answered with 404. The server’s secrets and tokens are deleted.`,
      }}
      dialog={({ verb, row: { slug: server } }, ends) => {
        const Part = parts[verb];
        return (
          <Dialog title={`${verb} ${server}`} onClose={ends.onClose}>
            <Part {...{ server, again, ...ends }} />
          </Dialog>
        );
      }}
    />
  );
}
