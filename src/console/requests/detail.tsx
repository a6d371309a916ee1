import { Card } from "../parts/card.tsx";
import { pendingWord } from "../approvals/conditions.ts";
import { count, duration, none, time, usd } from "../format.ts";
import { CodeBlock, CopyButton } from "../parts/copy.tsx";
import { Facts, type Fact } from "../parts/facts.tsx";
import { Badge } from "../parts/notice.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath, routerUrl, tenantHere } from "../place.ts";
import { isOperator } from "../session.ts";
import { attemptColumns, messageOf } from "./attempts.tsx";
import { faultAdvice, reasonAdvice } from "./advice.ts";
import { ReplayButton, Seal } from "./checks.tsx";
import { Correct } from "./correct.tsx";
import { DecisionTable, type Ended } from "./decision.tsx";
import { capabilityText } from "../capability-text.ts";
import { errorText, verdictText } from "./reason.ts";
import { askedOf, decisionOf, type WholeRecord } from "./record.ts";
import { Timeline } from "./timeline.tsx";

interface DetailProps {
  record: WholeRecord;
}

interface RequestDetailProps extends DetailProps {
  onChanged: () => void;
}

function Usage({ record }: { record: WholeRecord }) {
  const { usage, costUsd, correction } = record;
  if (usage === null) return <p class="faint">No usage.</p>;
  const { surcharge } = record.attempts.at(-1)?.usage ?? {};
  const classes = Object.entries({ ...usage.classes, ...usage.media });
  const isFree = surcharge?.factor === 0 && " (the credential declares that calls cost nothing)";
  return (
    <Facts
      of={[
        ["Tokens in", [count(usage.inputTokens), usage.estimated && " (estimated)"]],
        ["Tokens out", count(usage.outputTokens)],
        ...classes.map(([name, amount]): Fact => [name, count(amount)]),
        ["Cost", [usd(costUsd), record.overshoot && " (more than was reserved)", isFree]],
        correction !== null && [
          "Corrected",
          `${usd(correction.costUsd)} by ${correction.actor}: ${correction.reason}`,
        ],
      ]}
    />
  );
}

function askingFacts(asking: ReturnType<typeof askedOf>): Fact[] {
  const figures =
    asking &&
    `Messages ${count(asking.messages)}, characters ${count(asking.characters)}, tools ${count(asking.tools)}, maxTokens ${count(asking.maxTokens)}`;
  return [
    ["Asked", figures ?? none],
    asking?.declared !== undefined && ["Declared", capabilityText(asking.declared)],
    ["Hints", asking?.hints?.join(", ") || none],
  ];
}

function RequestFacts({ record }: DetailProps) {
  const { who, createdAt, contentSha256 } = record;
  const asking = askedOf(record);
  const endpoint = asking?.endpoint;
  const client = [who.clientName, who.clientVersion].filter((each) => each !== null).join(" ");
  const named = (title: string, name: string, id: string | null = null): Fact =>
    id !== null && [
      title,
      <a href={`${ownPath("/requests")}?${name}=${encodeURIComponent(id)}`} title={id}>
        {record.names[id] ?? id}
      </a>,
    ];
  return (
    <Facts
      of={[
        ["Received", time(createdAt)],
        named("Key", "key", who.keyId),
        named("Person", "user", who.user),
        named("Server", "server", who.serverId),
        who.tool !== null && ["Tool", who.tool],
        ["Client", client || none],
        [endpoint === undefined ? "Revision" : "Endpoint", endpoint ?? who.revision ?? none],
        ...askingFacts(asking),
        ["SHA-256 of the content", <code>{contentSha256}</code>],
      ]}
    />
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The call, or the record if its content was not captured. */
function curlOf({ record }: DetailProps): string {
  const content = record.content as { request?: unknown } | null;
  if (content?.request === undefined || content.request === null)
    return `curl -sS ${quoted(`${routerUrl}/admin/v1/tenants/${tenantHere()}/requests/${record.id}`)} -H "Authorization: Bearer $ADMIN_TOKEN"`;
  const call = { jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: content.request };
  return `curl -sS ${quoted(`${routerUrl}/v1/sampling`)} -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: sampling/createMessage' -d ${quoted(JSON.stringify(call))}`;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const nameOf = ({ provider, model }: { provider: string; model: string }): string =>
  `${provider}/${model}`;

/** Failed attempts with the provider's words, and what to do. */
function Failures({ record }: Pick<DetailProps, "record">) {
  const failed = record.attempts.filter(({ fault }) => fault !== null);
  const advice = reasonAdvice(record.reason);
  if (failed.length === 0) return advice === null ? null : <p class="notice warn">{advice}</p>;
  return (
    <div class={`notice ${record.outcome === "succeeded" ? "warn" : "bad"}`}>
      {failed.map((attempt, at) => {
        const { status, latencyMs } = attempt;
        const message = messageOf(record, attempt);
        return (
          <div key={at}>
            <strong>
              {nameOf(attempt)}: {errorText({ reason: null, attempts: [attempt] })}
            </strong>{" "}
            ({status !== null && `HTTP ${status}, `}after {duration(latencyMs)})
            {message !== "" && <div>“{message}”</div>}
            <div>{faultAdvice(attempt.code ?? attempt.fault)}</div>
          </div>
        );
      })}
    </div>
  );
}

const endedOf = ({ attempts }: WholeRecord): Ended =>
  new Map(
    attempts.map((attempt) => [nameOf(attempt), attempt.fault === null ? "answered" : "failed"]),
  );

function Summary({ record }: Pick<DetailProps, "record">) {
  const { createdAt, who, costUsd, totalMs, names } = record;
  const facts = [
    time(createdAt),
    names[who.keyId] ?? who.keyId,
    costUsd === null ? null : usd(costUsd),
    totalMs === null ? null : duration(totalMs),
  ];
  return (
    <p class="faint">
      {facts.filter((fact) => fact !== null).join(" · ")} · <code>{record.id}</code>
    </p>
  );
}

function Verdict({ record }: DetailProps) {
  if (record.held)
    return (
      <a href={`${ownPath("/approvals")}?open=${encodeURIComponent(record.id)}`}>Approve or deny</a>
    );
  return <>{verdictText(record)}</>;
}

function Head({ record }: DetailProps) {
  return (
    <div class="over">
      <div>
        <p class="verdict">
          <Badge word={record.held ? pendingWord : record.outcome} />{" "}
          <strong>
            <Verdict record={record} />
          </strong>
        </p>
        <Summary record={record} />
      </div>
      <div class="row-actions">
        <CopyButton text={record.id} label="Copy id" />
        <CopyButton text={curlOf({ record })} label="Copy as curl" />
      </div>
    </div>
  );
}

const Contents = ({ record }: Pick<DetailProps, "record">) => (
  <>
    {record.captured && (
      <details class="card">
        <summary>Captured content</summary>
        <CodeBlock title="Content" text={json(record.content)} />
      </details>
    )}
    <details class="card">
      <summary>Raw JSON</summary>
      <CodeBlock title="Record" text={json(record)} />
    </details>
  </>
);

export function RequestDetail({ record, onChanged }: RequestDetailProps) {
  const decision = decisionOf(record);
  return (
    <div class="stack">
      <Head record={record} />
      <Failures record={record} />
      {record.correction === null && isOperator.value && (
        <Correct {...{ record }} onDone={onChanged} />
      )}
      <Card title="Why this model">
        {decision === null ? (
          <p class="faint">Refused before a model was selected.</p>
        ) : (
          <DecisionTable decision={decision} asked={askedOf(record)} ended={endedOf(record)} />
        )}
        <ReplayButton record={record} />
      </Card>
      <Card title="Timeline">
        <Timeline record={record} />
      </Card>
      <Card title="Attempts">
        <Table
          name="Attempts"
          columns={attemptColumns(record)}
          rows={record.attempts}
          keyOf={(attempt) => String(record.attempts.indexOf(attempt))}
          empty="No provider was called."
        />
      </Card>
      <div class="two">
        <Card title="Usage">
          <Usage record={record} />
        </Card>
        <Card title="Request">
          <RequestFacts record={record} />
        </Card>
      </div>
      <Card title="Seal">
        <Seal record={record} />
      </Card>
      <Contents record={record} />
    </div>
  );
}
