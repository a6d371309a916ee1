import { networkMessage } from "../../domain/network-fault.ts";
import { duration, usdOfCall } from "../format.ts";
import { column, numberColumn, textColumn, type Column } from "../parts/columns.tsx";
import { Badge, Card } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { faultText } from "./cause.ts";
import { nameOf } from "./notes.ts";
import type { RequestRecord, WholeRecord } from "./record.ts";
import { pausesOf, stepsOf, streamText } from "./steps.ts";

type Attempt = WholeRecord["attempts"][number];

export const End = ({ fault }: Pick<Attempt, "fault">) =>
  fault === null ? <Badge word="answered" tone="good" /> : <Badge word="failed" />;

export function Attempts({ record }: { record: WholeRecord }) {
  const { attempts, providerMessages } = record;
  if (attempts.length === 0) return null;
  const waited = pausesOf(record);
  const messageOf = (attempt: Attempt): string | null => {
    if (attempt.fault === null) return null;
    if (attempt.network !== undefined) return networkMessage(attempt.network);
    return providerMessages.find((each) => nameOf(each) === nameOf(attempt))?.message ?? null;
  };
  const columns: Column<Attempt>[] = [
    column("Model", nameOf, (attempt) => <code>{nameOf(attempt)}</code>),
    column(
      "Ended",
      ({ fault, code }) => code ?? fault ?? "answered",
      ({ fault, code }) => [<End fault={fault} />, fault && ` ${faultText(code ?? fault)}`],
    ),
    { title: "Provider’s message", isOptional: true, text: messageOf },
    numberColumn("HTTP", ({ status }) => status),
    numberColumn("Took", ({ latencyMs }) => latencyMs, duration),
    textColumn("Stream", (attempt) => streamText(attempt) || null),
    column("Billed", ({ billed }) => billed),
    numberColumn("Cost", ({ costMicroUsd: cost }) => cost && cost / 1e6, usdOfCall),
  ];
  return (
    <Card title="Attempts">
      <Table
        name="Attempts"
        isDense
        {...{ columns }}
        rows={attempts}
        keyOf={(attempt) => String(attempts.indexOf(attempt))}
        empty={null}
        foot={waited > 0 && <span class="faint">{duration(waited)} of waiting between them</span>}
      />
    </Card>
  );
}

export function Timeline({ record }: { record: RequestRecord }) {
  const steps = stepsOf(record);
  const pauses = pausesOf(record);
  const { totalMs, overheadMs } = record;
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
          {duration(totalMs)} in all: {duration(overheadMs)} in the router,{" "}
          {pauses > 0 && `${duration(pauses)} pauses between attempts, `}
          {duration(Math.max(0, totalMs - overheadMs - pauses))} at providers.
        </p>
      )}
    </Card>
  );
}
