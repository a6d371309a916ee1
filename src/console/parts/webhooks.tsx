import { Button } from "./card.tsx";
import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { Confirm, Dialog } from "../parts/dialog.tsx";
import { Secret } from "../parts/copy.tsx";
import { Badge } from "../parts/notice.tsx";
import { Listed } from "../parts/listed.tsx";
import { usePaging } from "../parts/pages.tsx";
import { timeColumn } from "./columns.tsx";
import type { Column } from "../parts/table.tsx";
import { mayChange } from "../session.ts";

type Message = Schemas["WebhookMessage"];

const typeOf = ({ body }: Message): string =>
  typeof body["type"] === "string" ? body["type"] : "";
/** Receivers' answers are not stored, only status and error. */
const answerOf = ({ status, fault }: Message): string =>
  [status === null ? "" : `HTTP ${status}`, fault ?? ""].filter((each) => each !== "").join(": ");

const columns: Column<Message>[] = [
  timeColumn("Made", ({ createdAt }) => createdAt),
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
    text: ({ attempts }) => attempts,
  },
  { title: "Last answer", show: (message) => answerOf(message) || "–", text: answerOf },
  timeColumn("Sent next", ({ nextAt }) => nextAt),
];

function Messages() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/webhooks");
  return (
    <Listed
      what="messages"
      paging={paging}
      name="Webhook messages"
      columns={columns}
      keyOf={({ id }) => id}
      empty="No messages in the last 7 days. Set a URL for alerts here, and for pending approvals in the policy."
    />
  );
}

function NewSecret() {
  const [isAsking, setAsking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const make = async () => {
    const made = await api.POST("/admin/v1/tenants/{tenant}/webhooks/secret");
    if (made.ok) setSecret(made.value.secret);
    return made;
  };
  return (
    <>
      <Button class="quiet" onClick={() => setAsking(true)}>
        New signing secret
      </Button>
      {isAsking && (
        <Confirm
          title="Create a secret"
          act={make}
          onDone={() => setAsking(false)}
          onClose={() => setAsking(false)}
        >
          <p>For 24 hours, messages are also signed with the old secret.</p>
        </Confirm>
      )}
      {secret !== null && (
        <Dialog title="New signing secret" onClose={() => setSecret(null)}>
          <Secret title="Signing secret" secret={secret} onDone={() => setSecret(null)}>
            <p>Use it in your receiver to verify messages.</p>
          </Secret>
        </Dialog>
      )}
    </>
  );
}

export function Webhooks() {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Messages to your webhook</summary>
      {isOpen && (
        <div class="stack">
          <Messages />
          {mayChange.value && (
            <div class="buttons">
              <NewSecret />
            </div>
          )}
        </div>
      )}
    </details>
  );
}
