import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { fromNow } from "../format.ts";
import { textIn } from "../message-text.ts";
import { mayChange } from "../session.ts";
import { Brief, column, type Column } from "./columns.tsx";
import { Secret } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";
import { Listed, usePaging } from "./list-page.tsx";
import { Badge, Button } from "./page.tsx";

type Message = Schemas["WebhookMessage"];

const textOf = ({ body }: Message): string =>
  textIn(body) ?? (typeof body["type"] === "string" ? body["type"] : JSON.stringify(body));

const columns: Column<Message>[] = [
  column.time("Made", ({ createdAt }) => createdAt),
  { title: "Message", show: (message) => <Brief text={textOf(message)} />, text: textOf },
  column.line("To", ({ url }) => url),
  {
    title: "State",
    show: ({ state, attempts, nextAt }) => (
      <>
        <Badge word={state} {...(state === "delivered" && { tone: "good" })} />{" "}
        <small>
          {attempts > 1 && `${attempts} attempts, `}
          {nextAt !== null && `next ${fromNow(nextAt)}`}
        </small>
      </>
    ),
    text: ({ state }) => state,
  },
  column.file("Attempts", ({ attempts }) => attempts),
  { title: "Last answer", text: ({ status, fault }) => fault ?? (status && `HTTP ${status}`) },
];

function NewSecret() {
  const [secret, setSecret] = useState<string | null>(null);
  const close = (): void => setSecret(null);
  return (
    <>
      <Button class="quiet" onClick={() => setSecret("")}>
        New signing secret
      </Button>
      {secret !== null && (
        <Dialog title="New signing secret" onClose={close}>
          {secret === "" ? (
            <Form
              submit="Create a secret"
              act={() => api.POST("/admin/v1/tenants/{tenant}/webhooks/secret")}
              onDone={(made) => setSecret(made.secret)}
              onCancel={close}
            >
              <p>For 24 hours, messages are also signed with the old secret.</p>
            </Form>
          ) : (
            <Secret title="Signing secret" secret={secret} onDone={close}>
              <p>Use it in your receiver to verify messages.</p>
            </Secret>
          )}
        </Dialog>
      )}
    </>
  );
}

const Messages = () => (
  <>
    <Listed
      what="messages"
      paging={usePaging("/admin/v1/tenants/{tenant}/webhooks")}
      name="Webhook messages"
      columns={columns}
      keyOf={({ id }) => id}
      order={{ title: "Made", isDescending: true }}
      empty="No messages in the last 7 days. Tests aren’t listed."
    />
    {mayChange.value && <NewSecret />}
  </>
);

export function Webhooks() {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Messages to your webhook</summary>
      {isOpen && <Messages />}
    </details>
  );
}
