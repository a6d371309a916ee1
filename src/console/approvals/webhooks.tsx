/** What held calls were told of by webhook, and what became of each message. Asked for when somebody unfolds it. */
import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { Badge } from "../parts/notice.tsx";
import { Listed } from "../parts/listed.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";

type Message = Schemas["WebhookMessage"];

const typeOf = ({ body }: Message): string =>
  typeof body["type"] === "string" ? body["type"] : "";
/** The receiver's own words are not kept; its status is, and what went wrong. */
const answerOf = ({ status, fault }: Message): string =>
  [status === null ? "" : `HTTP ${status}`, fault ?? ""].filter((each) => each !== "").join(": ");

const columns: Column<Message>[] = [
  {
    title: "Made",
    show: ({ createdAt }) => <Time at={createdAt} />,
    text: ({ createdAt }) => isoOf(createdAt),
  },
  { title: "Message", show: (message) => typeOf(message), text: typeOf },
  { title: "To", show: ({ url }) => <code>{url}</code>, text: ({ url }) => url },
  {
    title: "State",
    show: ({ state }) => <Badge word={state} {...(state === "delivered" && { tone: "good" })} />,
    text: ({ state }) => state,
  },
  {
    title: "Attempts",
    isNumber: true,
    show: ({ attempts }) => attempts,
    text: ({ attempts }) => attempts,
  },
  { title: "Last answer", show: (message) => answerOf(message) || "–", text: answerOf },
  {
    title: "Sent next",
    show: ({ nextAt }) => <Time at={nextAt} />,
    text: ({ nextAt }) => isoOf(nextAt),
  },
];

function Messages({ tenant }: { tenant: string }) {
  const paging = usePaging<Message>(`webhooks of ${tenant}`, (query) =>
    asked(api.GET("/admin/v1/tenants/{tenant}/webhooks", { params: { path: { tenant }, query } })),
  );
  return (
    <Listed
      what="messages"
      paging={paging}
      name="Webhook messages"
      columns={columns}
      keyOf={({ id }) => id}
      empty="No message in the last 7 days. The policy says where held calls are told of."
    />
  );
}

export function Webhooks({ tenant }: { tenant: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Messages to your webhook</summary>
      {isOpen && <Messages tenant={tenant} />}
    </details>
  );
}
