import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Badge, ProblemNotice } from "../parts/notice.tsx";
import { ListPage, type Ends } from "../parts/list-page.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { prefix, routerUrl } from "../place.ts";
import type { Asked } from "../problem.ts";
import { mayChange } from "../session.ts";
import { NewServer, ServerPolicyForm } from "./server-forms.tsx";

type Server = Schemas["Server"];
type Doing =
  | { what: "make" }
  | { what: "change" | "delete"; server: Server }
  | { what: "check"; found: Asked<Schemas["ServerCheck"]> }
  | { what: "authorize"; found: Asked<Schemas["AuthorizationStart"]> };

const proxyUrl = (tenant: string, slug: string): string => `${routerUrl}/mcp/${tenant}/${slug}`;

const stateOf = ({ policy, status }: Server): string =>
  policy.disabled === true ? "disabled" : status;

/** `null` without OAuth. */
const accessOf = ({ oauth }: Server): string | null => {
  if (oauth === null) return null;
  if (oauth.grant === "client_credentials") return "a machine";
  return oauth.per === "user" ? "each person" : "one account";
};

interface ActionsProps {
  tenant: string;
  server: Server;
  begin: (doing: Doing) => void;
}

function ServerActions({ tenant, server, begin }: ActionsProps) {
  const [isBusy, setBusy] = useState(false);
  const params = { params: { path: { tenant, server: server.slug } } };
  const check = async (): Promise<void> => {
    setBusy(true);
    const found = await asked(
      api.POST("/admin/v1/tenants/{tenant}/servers/{server}/check", params),
    );
    setBusy(false);
    begin({ what: "check", found });
  };
  const authorize = async (): Promise<void> => {
    const found = await asked(
      api.POST("/admin/v1/tenants/{tenant}/servers/{server}/authorize", params),
    );
    begin({ what: "authorize", found });
  };
  const named = (what: string) => `${what} ${server.slug}`;
  return (
    <span class="row-actions">
      <CopyButton text={proxyUrl(tenant, server.slug)} label="Copy URL" />
      {mayChange.value && (
        <>
          <button
            type="button"
            class="quiet"
            disabled={isBusy}
            aria-label={named("check")}
            onClick={() => void check()}
          >
            {isBusy ? "asking…" : "check"}
          </button>
          {server.oauth?.grant === "authorization_code" && server.oauth.per !== "user" && (
            <button type="button" class="quiet" onClick={() => void authorize()}>
              authorize
            </button>
          )}
          {(["change", "delete"] as const).map((what) => (
            <button
              key={what}
              type="button"
              class={`quiet ${what === "delete" ? "danger" : ""}`}
              aria-label={named(what)}
              onClick={() => begin({ what, server })}
            >
              {what}
            </button>
          ))}
        </>
      )}
    </span>
  );
}

const columnsOf = (tenant: string, begin: (doing: Doing) => void): Column<Server>[] => [
  { title: "Server", show: ({ slug }) => slug, text: ({ slug }) => slug },
  { title: "Address", show: ({ url }) => <code>{url}</code>, text: ({ url }) => url },
  {
    title: "Who answers",
    show: ({ sampling }) => sampling,
    text: ({ sampling }) => sampling,
  },
  {
    title: "State",
    show: (server) => (
      <Badge word={stateOf(server)} {...(server.policy.disabled === true && { tone: "warn" })} />
    ),
    text: stateOf,
  },
  {
    title: "Revisions",
    show: ({ learned }) => learned.era ?? <span class="faint">unknown yet</span>,
    text: ({ learned }) => learned.era ?? null,
  },
  {
    title: "OAuth",
    show: (server) => accessOf(server) ?? "–",
    text: accessOf,
  },
  {
    title: "",
    show: (server) => <ServerActions tenant={tenant} server={server} begin={begin} />,
  },
];

function CheckFound({ found }: { found: Asked<Schemas["ServerCheck"]> }) {
  if (!found.ok) return <ProblemNotice problem={found.problem} />;
  const { ok, detail, era, name, tools } = found.value;
  return (
    <div class={`notice ${ok ? "good" : "bad"}`} role="status">
      <strong>{ok ? "The server works." : "The router can’t use the server."}</strong>
      <p>{detail}</p>
      <dl class="facts">
        <dt>Calls itself</dt>
        <dd>{name ?? "–"}</dd>
        <dt>Revisions</dt>
        <dd>{era ?? "–"}</dd>
        <dt>Tools</dt>
        <dd>{tools ?? "–"}</dd>
      </dl>
    </div>
  );
}

function AuthorizeFound({ found }: { found: Asked<Schemas["AuthorizationStart"]> }) {
  if (!found.ok) return <ProblemNotice problem={found.problem} />;
  const { authorizationUrl } = found.value;
  return (
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
  );
}

interface DoProps extends Ends {
  tenant: string;
  doing: Doing;
}

const titles = { make: "New server", check: "Check", authorize: "Authorize", change: "Change" };

function Do({ tenant, doing, onDone, onClose }: DoProps) {
  if (doing.what === "delete") {
    const { slug } = doing.server;
    const params = { path: { tenant, server: slug } };
    return (
      <Confirm
        title="Delete server"
        act={() => asked(api.DELETE("/admin/v1/tenants/{tenant}/servers/{server}", { params }))}
        onDone={onDone}
        onClose={onClose}
      >
        <p>
          Clients of <code>{`${prefix}/mcp/${tenant}/${slug}`}</code> are answered with 404. The
          server’s secrets and tokens are deleted.
        </p>
      </Confirm>
    );
  }
  return (
    <Dialog title={titles[doing.what]} onClose={onClose}>
      {doing.what === "make" && <NewServer {...{ tenant, onDone, onClose }} />}
      {doing.what === "check" && <CheckFound found={doing.found} />}
      {doing.what === "authorize" && <AuthorizeFound found={doing.found} />}
      {doing.what === "change" && (
        <ServerPolicyForm {...{ tenant, slug: doing.server.slug, onDone, onClose }} />
      )}
    </Dialog>
  );
}

export function Servers({ params: { tenant } }: { params: { tenant: string } }) {
  const paging = usePaging<Server>(`servers of ${tenant}`, (query) =>
    asked(api.GET("/admin/v1/tenants/{tenant}/servers", { params: { path: { tenant }, query } })),
  );
  return (
    <ListPage
      title="Servers"
      lead="MCP servers behind the router, which answers their sampling requests."
      paging={paging}
      columns={(begin: (doing: Doing) => void) => columnsOf(tenant, begin)}
      empty="No servers yet. Register one and give its clients the router’s address."
      action={{ title: "New server", doing: { what: "make" } }}
      dialog={(doing, ends) => <Do {...{ tenant, doing, ...ends }} />}
    />
  );
}
