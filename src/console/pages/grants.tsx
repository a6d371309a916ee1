import { api, type Schemas } from "../api.ts";
import { fromNow } from "../format.ts";
import { useRead, valueIn } from "../load.ts";
import { column, type Column } from "../parts/columns.tsx";
import { ListPage, usePaging } from "../parts/list-page.tsx";
import type { Names } from "../parts/named.tsx";
import { RequestsOf, spendColumns, useSpending } from "../parts/spend.tsx";
import { ownPath } from "../place.ts";

type Grant = Schemas["Grant"];

/** A person’s own key is named after the person's id. */
const actorOf = ({ keyId }: Grant, names: Names): string =>
  names[keyId]?.replace(/’s sign-in$/, "") ?? `…${keyId.slice(-6)}`;

const useIn = ({ resource, scopes }: Grant): string =>
  scopes.includes("proxy") ? `server ${resource.split("/").at(-1)}` : "sampling";

const columnsOf = (names: Names): readonly Column<Grant>[] => [
  column.text("Program", ({ clientName }) => clientName),
  column.file("Client id", ({ clientId }) => clientId),
  column.of(
    "Acts for",
    (grant) => actorOf(grant, names),
    (grant) => <RequestsOf by="key" id={grant.keyId} name={actorOf(grant, names)} />,
  ),
  column.of(
    "May use",
    ({ resource }) => resource,
    (grant) => <span title={grant.resource}>{useIn(grant)}</span>,
  ),
  column.file("Scopes", ({ scopes }) => scopes.join(", ")),
  column.of("Signs in at", ({ redirectHost }) => redirectHost),
];

function Empty() {
  const { loaded } = useRead("/admin/v1/tenants/{tenant}/sign-in");
  const provider = valueIn({ loaded });
  const callers = provider?.callers?.join(", ") ?? "";
  return (
    <>
      <p>
        No connected programs. A program connects by a server’s address, and asks the person for
        consent (OAuth).
      </p>
      {callers !== "" && (
        <p>
          People with one of these values of the claim {provider?.claim} may connect programs:{" "}
          {callers}.
        </p>
      )}
      <a class="button" href={ownPath("/servers")}>
        Register a server
      </a>{" "}
      {loaded.state !== "loading" && callers === "" && (
        <a class="button" href={ownPath("/sign-on")}>
          {provider ? "Choose who may connect programs" : "Set up single sign-on"}
        </a>
      )}
    </>
  );
}

export function Grants() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/grants");
  const { names = {}, data = [] } = valueIn(paging.loading) ?? {};
  const spending = useSpending("key", data.length > 0);
  return (
    <ListPage
      title="Connected programs"
      lead="Programs that people allowed to use servers, with what each one’s key spent this month. When a sign-in ends, the program asks the person to sign in again."
      paging={paging}
      columns={[
        ...columnsOf(names),
        ...spendColumns<Grant>(({ keyId }) => spending.get(keyId)).filter(({ title }) =>
          ["Spent", "Last use"].includes(title),
        ),
        column.day<Grant>("Allowed", ({ createdAt }) => createdAt),
        column.time<Grant>("Sign-in ends", ({ expiresAt }) => expiresAt, fromNow),
      ]}
      nameOf={({ clientName }) => clientName}
      empty={<Empty />}
      remove={{
        title: "End access",
        act: ({ id }) => api.DELETE("/admin/v1/tenants/{tenant}/grants/{id}", { id }),
        question: ({ clientName }) =>
          `${clientName}: its tokens stop working within five seconds. The API key is not affected.`,
      }}
    />
  );
}
