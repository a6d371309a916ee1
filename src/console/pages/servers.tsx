import { useState } from "preact/hooks";
import { Facts } from "../parts/facts.tsx";
import { api, type Schemas } from "../api.ts";
import { fromNow } from "../format.ts";
import { useLoaded, useRead } from "../load.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Badge, There } from "../parts/notice.tsx";
import { ListPage, type Ends } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import { RequestsOf, spendColumns, useSpending, type Spender } from "../parts/spend.tsx";
import { stopsNow } from "../parts/stopped.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf } from "../parts/time.tsx";
import { ownPath, prefix, tenantHere } from "../place.ts";
import { stopsServer } from "../switches.ts";
import { NewServer, samplings, ServerPolicyForm } from "./server-forms.tsx";

type Server = Schemas["Server"];

function verbsOf({ oauth }: Server) {
  const isShared = oauth?.grant === "authorization_code" && oauth.per !== "user";
  return [
    "Connect",
    "Check",
    ...(isShared ? (["Authorize"] as const) : []),
    "Change",
    "Delete",
  ] as const;
}
type Verb = ReturnType<typeof verbsOf>[number];

function stateOf({ slug, policy, status, learned: { lastCheck } }: Server): string {
  if (stopsServer(stopsNow.value, slug)) return "stopped";
  if (policy.disabled === true) return "disabled";
  if (status === "failing") return "sign-in rejected";
  if (lastCheck === undefined) return "not checked";
  return lastCheck.ok ? "active" : "check failed";
}

const toneOf = (state: string): string =>
  ({ active: "good", disabled: "warn", "not checked": "" })[state] ?? "bad";

function Health({ server }: { server: Server }) {
  const state = stateOf(server);
  const { lastCheck } = server.learned;
  return (
    <span class="nowrap" {...(lastCheck !== undefined && { title: lastCheck.detail })}>
      <Badge word={state} tone={toneOf(state)} />
      <br />
      {lastCheck !== undefined && <small>checked {fromNow(lastCheck.at)}</small>}
    </span>
  );
}

/** `null` without OAuth. */
function accessOf({ oauth }: Server): string | null {
  if (oauth === null) return null;
  if (oauth.grant === "client_credentials") return "a machine";
  return oauth.per === "user" ? "each person" : "one account";
}

const eras = { legacy: "to 2025-11-25", modern: "2026-07-28" };

const columnsOf = (spending: ReadonlyMap<string, Spender>): readonly Column<Server>[] => [
  {
    title: "Server",
    show: ({ id, slug, url }) => (
      <>
        <RequestsOf by="server" id={id} name={slug} />
        <br />
        <code class="wraps faint">{url}</code>
      </>
    ),
    text: ({ slug }) => slug,
  },
  { title: "Address", text: ({ url }) => url, isFileOnly: true },
  { title: "Health", show: (server) => <Health server={server} />, text: stateOf },
  ...spendColumns<Server>(({ id }) => spending.get(id)),
  {
    title: "Who answers",
    show: ({ sampling }) => <span title={new Map(samplings).get(sampling)}>{sampling}</span>,
    text: ({ sampling }) => sampling,
  },
  {
    title: "Revisions",
    show: ({ learned: { era } }) => (
      <span class="nowrap">{era === undefined ? "–" : eras[era]}</span>
    ),
    text: ({ learned: { era } }) => (era === undefined ? null : eras[era]),
    isOptional: true,
  },
  { title: "OAuth", text: accessOf, isOptional: true },
  { title: "Checked", text: ({ learned }) => isoOf(learned.lastCheck?.at), isFileOnly: true },
];

interface OfServer {
  server: string;
}

function Checked(path: OfServer) {
  const loading = useLoaded(`check of ${path.server}`, () =>
    api.POST("/admin/v1/tenants/{tenant}/servers/{server}/check", path),
  );
  return (
    <There what="the server’s answer" loading={loading}>
      {({ ok, detail, era, name, tools }) => (
        <div class={`notice ${ok ? "good" : "bad"}`} role="status">
          <strong>{ok ? "The server works." : "The router can’t use the server."}</strong>
          <p>{detail}</p>
          <Facts
            of={[
              ["Calls itself", name ?? "–"],
              ["Revisions", era === null ? "–" : eras[era]],
              ["Tools", tools ?? "–"],
            ]}
          />
        </div>
      )}
    </There>
  );
}

function Authorize(path: OfServer) {
  const loading = useLoaded(`authorization of ${path.server}`, () =>
    api.POST("/admin/v1/tenants/{tenant}/servers/{server}/authorize", path),
  );
  return (
    <There what="the server’s sign-in" loading={loading}>
      {({ authorizationUrl }) => (
        <>
          <p>Open this address within ten minutes to authorize the router.</p>
          <p>
            {/^https?:/.test(authorizationUrl) ? (
              <a href={authorizationUrl} target="_blank" rel="noreferrer">
                {authorizationUrl}
              </a>
            ) : (
              <code>{authorizationUrl}</code>
            )}
          </p>
        </>
      )}
    </There>
  );
}

/** How a client that used the server directly uses it through the router. */
function Connect(path: OfServer) {
  const loading = useRead("/admin/v1/tenants/{tenant}/servers/{server}/install", path);
  return (
    <There what="the clients’ settings" loading={loading}>
      {({ url, keyVariable, snippets }) => (
        <div class="stack">
          <p>
            In each client, replace the server’s address by the router’s, and set{" "}
            <code>{keyVariable}</code> to an <a href={ownPath("/keys")}>API key</a> with the scopes
            proxy and sampling.
          </p>
          <CodeBlock title="Address" text={url} />
          {snippets.map(({ client, where, text, link }) => (
            <details key={client}>
              <summary>{client}</summary>
              {link !== null && (
                <p>
                  <a href={link}>Add to {client}</a>
                </p>
              )}
              <CodeBlock title={`${client}, ${where}`} text={text} />
            </details>
          ))}
        </div>
      )}
    </There>
  );
}

interface DoProps extends Ends {
  doing: { verb: Verb; row: Server };
}

const parts = { Check: Checked, Authorize, Connect };

function Do({ doing: { verb, row }, onDone, onClose }: DoProps) {
  const path = { server: row.slug };
  if (verb === "Delete")
    return (
      <Confirm
        title="Delete server"
        act={() => api.DELETE("/admin/v1/tenants/{tenant}/servers/{server}", path)}
        {...{ onDone, onClose }}
      >
        <p>
          Clients of <code>{`${prefix}/mcp/${tenantHere()}/${row.slug}`}</code> are answered with
          404. The server’s secrets and tokens are deleted.
        </p>
      </Confirm>
    );
  const Part = verb === "Change" ? null : parts[verb];
  return (
    <Dialog
      title={verb === "Check" ? verb : `${verb} ${row.slug}`}
      onClose={verb === "Check" ? onDone : onClose}
    >
      {Part === null ? (
        <ServerPolicyForm {...{ slug: row.slug, onDone, onClose }} />
      ) : (
        <Part {...path} />
      )}
    </Dialog>
  );
}

/** Then checks the server and shows how clients use it. */
function Registering({ onDone, onClose }: Ends & {}) {
  const [server, setServer] = useState<string | null>(null);
  if (server === null)
    return (
      <Dialog title="New server" onClose={onClose}>
        <NewServer {...{ onClose }} onDone={setServer} />
      </Dialog>
    );
  return (
    <Dialog title={`Connect ${server}`} onClose={onDone}>
      <Checked {...{ server }} />
      <Connect {...{ server }} />
    </Dialog>
  );
}

export function Servers() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/servers");
  return (
    <ListPage
      title="Servers"
      lead="MCP servers behind the router, which answers their sampling requests, with this month’s requests. “Connect” shows how a client uses one."
      paging={paging}
      columns={columnsOf(useSpending("server"))}
      nameOf={({ slug }) => slug}
      verbs={verbsOf}
      empty="No servers yet. Register one and give its clients the router’s address."
      make={{
        title: "New server",
        dialog: (ends) => <Registering {...{ ...ends }} />,
      }}
      dialog={(doing, ends) => <Do {...{ doing, ...ends }} />}
    />
  );
}
