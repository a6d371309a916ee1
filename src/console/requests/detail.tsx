import { count, duration, none, time, usd } from "../format.ts";
import { CodeBlock, CopyButton } from "../parts/copy.tsx";
import { Badge } from "../parts/notice.tsx";
import { Table } from "../parts/table.tsx";
import { routerUrl, tenantPath } from "../place.ts";
import { isOperator } from "../session.ts";
import { attemptColumns, messageOf } from "./attempts.tsx";
import { ReplayButton, Seal } from "./checks.tsx";
import { Correct } from "./correct.tsx";
import { DecisionTable, type Ended } from "./decision.tsx";
import { capabilityText } from "../capability-text.ts";
import { errorText, verdictText } from "./reason.ts";
import { askedOf, decisionOf, type WholeRecord } from "./record.ts";
import { Timeline } from "./timeline.tsx";

interface DetailProps {
  tenant: string;
  record: WholeRecord;
}

interface RequestDetailProps extends DetailProps {
  onChanged: () => void;
}

function Usage({ record }: { record: WholeRecord }) {
  const { usage, costUsd } = record;
  if (usage === null) return <p class="faint">No usage.</p>;
  const classes = Object.entries({ ...usage.classes, ...usage.media });
  return (
    <dl class="facts">
      <dt>Tokens in</dt>
      <dd>
        {count(usage.inputTokens)}
        {usage.estimated && " (estimated)"}
      </dd>
      <dt>Tokens out</dt>
      <dd>{count(usage.outputTokens)}</dd>
      {classes.map(([name, amount]) => (
        <>
          <dt>{name}</dt>
          <dd>{count(amount)}</dd>
        </>
      ))}
      <dt>Cost</dt>
      <dd>
        {usd(costUsd)}
        {record.overshoot && " (more than was reserved)"}
        {record.attempts.at(-1)?.usage?.surcharge?.factor === 0 &&
          " (the credential declares that calls cost nothing)"}
      </dd>
      {record.correction !== null && (
        <>
          <dt>Corrected</dt>
          <dd>
            {usd(record.correction.costUsd)} by {record.correction.actor}:{" "}
            {record.correction.reason}
          </dd>
        </>
      )}
    </dl>
  );
}

function Asking({ asking }: { asking: ReturnType<typeof askedOf> }) {
  return (
    <>
      <dt>Asked</dt>
      <dd>
        {asking === null
          ? none
          : `Messages ${count(asking.messages)}, characters ${count(asking.characters)}, tools ${count(asking.tools)}, maxTokens ${count(asking.maxTokens)}`}
      </dd>
      {asking?.declared !== undefined && (
        <>
          <dt>Declared</dt>
          <dd>{capabilityText(asking.declared)}</dd>
        </>
      )}
      <dt>Hints</dt>
      <dd>{asking?.hints?.join(", ") || none}</dd>
    </>
  );
}

function Facts({ tenant, record }: DetailProps) {
  const { who, createdAt, contentSha256 } = record;
  const asking = askedOf(record);
  const endpoint = asking?.endpoint;
  const listed = (name: string, value: string) =>
    `${tenantPath(tenant, "/requests")}?${name}=${encodeURIComponent(value)}`;
  const named = (title: string, name: string, id: string | null = null) =>
    id !== null && (
      <>
        <dt>{title}</dt>
        <dd>
          <a href={listed(name, id)} title={id}>
            {record.names[id] ?? id}
          </a>
        </dd>
      </>
    );
  return (
    <dl class="facts">
      <dt>Received</dt>
      <dd>{time(createdAt)}</dd>
      <dt>Key</dt>
      <dd>
        <a href={listed("key", who.keyId)} title={who.keyId}>
          {record.names[who.keyId] ?? who.keyId}
        </a>
      </dd>
      {named("Person", "user", who.user)}
      {named("Server", "server", who.serverId)}
      {who.tool !== null && (
        <>
          <dt>Tool</dt>
          <dd>{who.tool}</dd>
        </>
      )}
      <dt>Client</dt>
      <dd>
        {[who.clientName, who.clientVersion].filter((each) => each !== null).join(" ") || none}
      </dd>
      <dt>{endpoint === undefined ? "Revision" : "Endpoint"}</dt>
      <dd>{endpoint ?? who.revision ?? none}</dd>
      <Asking asking={asking} />
      <dt>SHA-256 of the content</dt>
      <dd>
        <code>{contentSha256}</code>
      </dd>
    </dl>
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The call, or the record if its content was not captured. */
function curlOf({ tenant, record }: DetailProps): string {
  const content = record.content as { request?: unknown } | null;
  if (content?.request === undefined || content.request === null)
    return `curl -sS ${quoted(`${routerUrl}/admin/v1/tenants/${tenant}/requests/${record.id}`)} -H "Authorization: Bearer $ADMIN_TOKEN"`;
  const call = { jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: content.request };
  return `curl -sS ${quoted(`${routerUrl}/v1/sampling`)} -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: sampling/createMessage' -d ${quoted(JSON.stringify(call))}`;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const nameOf = ({ provider, model }: { provider: string; model: string }): string =>
  `${provider}/${model}`;

/** Failed attempts, with the provider's words. */
function Failures({ record }: Pick<DetailProps, "record">) {
  const failed = record.attempts.filter(({ fault }) => fault !== null);
  if (failed.length === 0) return null;
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

function Verdict({ tenant, record }: DetailProps) {
  if (record.held)
    return (
      <>
        Requires approval: <a href={tenantPath(tenant, "/approvals")}>Approvals</a>
      </>
    );
  return <>{verdictText(record)}</>;
}

function Head({ tenant, record }: DetailProps) {
  return (
    <div class="over">
      <div>
        <p class="verdict">
          <Badge word={record.held ? "held" : record.outcome} />{" "}
          <strong>
            <Verdict tenant={tenant} record={record} />
          </strong>
        </p>
        <Summary record={record} />
      </div>
      <div class="row-actions">
        <CopyButton text={record.id} label="Copy id" />
        <CopyButton text={curlOf({ tenant, record })} label="Copy as curl" />
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

export function RequestDetail({ tenant, record, onChanged }: RequestDetailProps) {
  const decision = decisionOf(record);
  return (
    <div class="stack">
      <Head tenant={tenant} record={record} />
      <Failures record={record} />
      {record.correction === null && isOperator.value && (
        <Correct {...{ tenant, record }} onDone={onChanged} />
      )}
      <section class="card">
        <h2>Why this model</h2>
        {decision === null ? (
          <p class="faint">Refused before a model was selected.</p>
        ) : (
          <DecisionTable decision={decision} asked={askedOf(record)} ended={endedOf(record)} />
        )}
        <ReplayButton tenant={tenant} record={record} />
      </section>
      <section class="card">
        <h2>Timeline</h2>
        <Timeline record={record} />
      </section>
      <section class="card">
        <h2>Attempts</h2>
        <Table
          name="Attempts"
          columns={attemptColumns(record)}
          rows={record.attempts}
          keyOf={(attempt) => String(record.attempts.indexOf(attempt))}
          empty="No provider was called."
        />
      </section>
      <div class="two">
        <section class="card">
          <h2>Usage</h2>
          <Usage record={record} />
        </section>
        <section class="card">
          <h2>Request</h2>
          <Facts tenant={tenant} record={record} />
        </section>
      </div>
      <section class="card">
        <h2>Seal</h2>
        <Seal tenant={tenant} record={record} />
      </section>
      <Contents record={record} />
    </div>
  );
}
