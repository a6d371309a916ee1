import type { Asked } from "../../domain/audit/record.ts";
import { networkMessage } from "../../domain/network-fault.ts";
import { capabilityText } from "../capability-text.ts";
import { count, duration, none, time, usdOfCall } from "../format.ts";
import { useRead, useRepeated, valueIn } from "../load.ts";
import { column, type Column } from "../parts/columns.tsx";
import { CodeBlock, CopyButton } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Badge, Button, Card, Facts, ForRole, Page, There, type Fact } from "../parts/page.tsx";
import { RequestsOf } from "../parts/spend.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath, requestPath, routerUrl } from "../place.ts";
import { curlOf, samplingRequest } from "../playground/wire-request.ts";
import { memberTitle } from "../policy-changes.ts";
import { adviceText, faultText, outcomeWord, pagesFor, verdictText } from "../requests/cause.ts";
import { Correct, RecordCheck, replayed, verified } from "../requests/checks.tsx";
import { DecisionTable, End } from "../requests/decision.tsx";
import { nameOf } from "../requests/notes.ts";
import type { RequestRecord, WholeRecord } from "../requests/record.ts";
import { stepsOf, streamText } from "../requests/steps.ts";

const freeText = " (the credential declares that calls cost nothing)";

function usageFacts({ usage, costUsd, correction, attempts, overshoot }: WholeRecord): Fact[] {
  if (usage === null) return [];
  const isFree = attempts.at(-1)?.usage?.surcharge?.factor === 0;
  return [
    ["Tokens in", [count(usage.inputTokens), usage.estimated && " (estimated)"]],
    ["Tokens out", count(usage.outputTokens)],
    ...Object.entries({ ...usage.classes, ...usage.media }).map(([name, amount]): Fact => [
      memberTitle(name),
      count(amount),
    ]),
    ["Cost", [usdOfCall(costUsd), overshoot && " (more than was reserved)", isFree && freeText]],
    correction !== null && [
      "Corrected",
      `${usdOfCall(correction.costUsd)} by ${correction.actor}: ${correction.reason}`,
    ],
  ];
}

const callersOf = ({ who, names }: WholeRecord): Fact[] => {
  const caller = (title: string, by: "key" | "user" | "server", id?: string | null): Fact =>
    !!id && [title, <RequestsOf by={by} id={id} name={names[id] ?? id} />];
  return [
    caller("Key", "key", who.keyId),
    caller("Person", "user", who.user),
    caller("Server", "server", who.serverId),
  ];
};

function requestFacts(record: WholeRecord): Fact[] {
  const { who } = record;
  const asked: Partial<Asked> = record.asked ?? {};
  const client = [who.clientName, who.clientVersion].join(" ").trim();
  return [
    ["Received", time(record.createdAt)],
    ...callersOf(record),
    who.tool !== null && ["Tool", who.tool],
    client !== "" && ["Client", client],
    asked.endpoint ? ["Endpoint", asked.endpoint] : ["Revision", who.revision ?? none],
    asked.model !== undefined && ["Model asked for", <code>{asked.model}</code>],
    ["Messages", `${count(asked.messages)} with ${count(asked.characters)} characters`],
    ["Tools", count(asked.tools)],
    ["maxTokens", count(asked.maxTokens)],
    asked.declared !== undefined && ["Declared", capabilityText(asked.declared)],
    ["SHA-256 of the content", <code>{record.contentSha256}</code>],
  ];
}

/** The call as it was sent; `null` if its content was not stored. */
function curlIn({ content, asked }: WholeRecord): string | null {
  const { params } = (content ?? {}) as { params?: object | null };
  const { endpoint }: Partial<Asked> = asked ?? {};
  if (!params) return null;
  const path = `/v1/${endpoint?.replace(".", "/")}`;
  const request = endpoint ? { path, headers: {}, body: params } : samplingRequest(params);
  return curlOf(request, { url: routerUrl });
}

/** The verdict, what to do, and who asked. */
function Head({ record }: { record: WholeRecord }) {
  const { createdAt, costUsd, totalMs, held, approved } = record;
  const [advice, curl] = [adviceText(record), curlIn(record)];
  const facts = [
    time(createdAt),
    ...callersOf(record).map((fact) => fact && fact[1]),
    costUsd !== null && usdOfCall(costUsd),
    totalMs !== null && duration(totalMs),
    <code>{record.id}</code>,
  ].filter(Boolean);
  return (
    <div class="over">
      <div>
        <p class="verdict">
          <Badge word={outcomeWord(record)} />{" "}
          {held && !approved ? (
            <a class="button" href={`${ownPath("/approvals")}?open=${record.id}`}>
              Approve or deny
            </a>
          ) : (
            <strong>{verdictText(record)}</strong>
          )}
        </p>
        {advice !== "" && (
          <p>
            {advice}{" "}
            {pagesFor(advice).map(([page, title]) => [
              <a href={ownPath(page.replace(/=$/, `=${record.id}`))}>Open {title}</a>,
              " ",
            ])}
          </p>
        )}
        <p class="faint">{facts.map((fact, at) => [at > 0 && " · ", fact])}</p>
      </div>
      <div class="row-actions">
        <CopyButton text={record.id} label="Copy id" />
        {curl !== null && <CopyButton text={curl} label="Copy as curl" />}
      </div>
    </div>
  );
}

type Attempt = WholeRecord["attempts"][number];

function Attempts({ record }: { record: WholeRecord }) {
  const { attempts, providerMessages } = record;
  if (attempts.length === 0) return null;
  const messageOf = (attempt: Attempt): string | null => {
    if (attempt.fault === null) return null;
    if (attempt.network !== undefined) return networkMessage(attempt.network);
    return providerMessages.find((each) => nameOf(each) === nameOf(attempt))?.message ?? null;
  };
  const columns: Column<Attempt>[] = [
    column.of("Model", nameOf, (attempt) => <code>{nameOf(attempt)}</code>),
    column.of(
      "Ended",
      ({ fault, code }) => code ?? fault ?? "answered",
      ({ fault, code }) => [<End fault={fault} />, fault && ` ${faultText(code ?? fault)}`],
    ),
    { title: "Provider’s message", isOptional: true, text: messageOf },
    column.number("HTTP", ({ status }) => status),
    column.number("Waited before", ({ waitedMs }) => waitedMs, duration),
    column.number("Took", ({ latencyMs }) => latencyMs, duration),
    column.text("Stream", (attempt) => streamText(attempt) || null),
    column.of("Billed", ({ billed }) => billed),
    column.number("Cost", ({ costMicroUsd: cost }) => cost && cost / 1e6, usdOfCall),
  ];
  return (
    <Card title="Attempts">
      <Table
        name="Attempts"
        {...{ columns }}
        rows={attempts}
        keyOf={(attempt) => String(attempts.indexOf(attempt))}
        empty={null}
      />
    </Card>
  );
}

function Timeline({ record }: { record: RequestRecord }) {
  const steps = stepsOf(record);
  const { attempts, totalMs, overheadMs } = record;
  const approvalMs = steps.find(({ name }) => name === "approval")?.ms ?? 0;
  const pauses = attempts.reduce((ms, { waitedMs = 0 }) => ms + waitedMs, 0);
  const whole = Math.max(1, totalMs ?? 0, ...steps.map(({ from, ms }) => from + ms));
  if (steps.length === 0) return null;
  return (
    <Card title="Timeline">
      <div class="timeline" role="list" aria-label="Timeline">
        {steps.map(({ name, from, ms, kind }, at) => (
          <div key={at} role="listitem">
            <code>{name}</code>
            <span class="lane" aria-hidden="true">
              <span
                class={kind}
                style={{ left: `${(from / whole) * 100}%`, width: `${(ms / whole) * 100}%` }}
              />
            </span>
            <span class="number">
              {duration(ms)}
              {kind === "failed" && " (failed)"}
            </span>
          </div>
        ))}
      </div>
      {totalMs !== null && overheadMs !== null && (
        <p class="faint">
          {duration(totalMs)} in all: {duration(overheadMs - approvalMs)} in the router,{" "}
          {approvalMs > 0 && `${duration(approvalMs)} for approval, `}
          {pauses > 0 && `${duration(pauses)} between attempts, `}
          {duration(Math.max(0, totalMs - overheadMs - pauses))} at providers.
        </p>
      )}
    </Card>
  );
}

function RequestDetail({ record, onChanged }: { record: WholeRecord; onChanged: () => void }) {
  const { decision, asked, attempts } = record;
  return (
    <div class="stack">
      <Head record={record} />
      <Correct record={record} onDone={onChanged} />
      <Attempts record={record} />
      <Timeline record={record} />
      <Card title="Why this model" isStack>
        {decision === null ? (
          <p class="faint">Refused before a model was selected.</p>
        ) : (
          <>
            <DecisionTable decision={decision} asked={asked} attempts={attempts} />
            <RecordCheck
              button="Re-run selection (no model is called)"
              check={() => replayed(record)}
            />
          </>
        )}
      </Card>
      <div class="two">
        {Object.entries({ Usage: usageFacts(record), Request: requestFacts(record) }).map(
          ([title, facts]) =>
            facts.length > 0 && (
              <Card key={title} title={title}>
                <Facts of={facts} />
              </Card>
            ),
        )}
      </div>
      <Card title="Seal">
        <ForRole permission="audit" without="can’t read seals, so it can’t verify">
          <RecordCheck button="Verify in this browser" check={() => verified(record)} />
        </ForRole>
      </Card>
      {Object.entries({
        ...(record.captured && { "Captured content": record.content }),
        "Raw JSON": record,
      }).map(([title, value]) => (
        <details class="card" key={title}>
          <summary>{title}</summary>
          <CodeBlock title={title} text={JSON.stringify(value, null, 2)} />
        </details>
      ))}
    </div>
  );
}

function Loaded({ id }: { id: string }) {
  const loading = useRead("/admin/v1/tenants/{tenant}/requests/{id}", { id });
  useRepeated(valueIn(loading)?.outcome === "admitted" ? 2_000 : null, loading.again);
  return (
    <There what="the request" loading={loading}>
      {(record) => <RequestDetail record={record} onChanged={() => void loading.again()} />}
    </There>
  );
}

const titleOf = (id: string): string => `Request …${id.slice(-6)}`;

export const Request = ({ params: { id } }: { params: { id: string } }) => (
  <Page title={titleOf(id)} lead={<a href={requestPath()}>Back to requests</a>}>
    <Loaded id={id} />
  </Page>
);

type DrawerProps = {
  id: string;
  onClose: () => void;
  /** others of the list, by what leads to them */
  beside: Readonly<Record<string, string | undefined>>;
  go: (id: string) => void;
};

export const RequestDrawer = ({ id, onClose, beside, go }: DrawerProps) => (
  <Dialog title={titleOf(id)} onClose={onClose} isDrawer>
    <p class="buttons">
      {Object.entries(beside).map(([title, other]) => (
        <Button key={title} class="quiet" disabled={!other} onClick={() => other && go(other)}>
          {title}
        </Button>
      ))}
      <a href={requestPath(id)}>Open as a page</a>
    </p>
    <Loaded id={id} />
  </Dialog>
);
