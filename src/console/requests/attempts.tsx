import { networkMessage } from "../../domain/network-fault.ts";
import { duration, none, usdOfCall } from "../format.ts";
import { numberColumn, textColumn } from "../parts/cells.tsx";
import { Badge } from "../parts/notice.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { faultText } from "./cause.ts";
import { nameOf } from "./notes.ts";
import type { WholeRecord } from "./record.ts";
import { streamText } from "./steps.ts";

type Attempt = WholeRecord["attempts"][number];

export const End = ({ fault }: Pick<Attempt, "fault">) =>
  fault === null ? <Badge word="answered" tone="good" /> : <Badge word="failed" />;

export function Attempts({ record: { attempts, providerMessages } }: { record: WholeRecord }) {
  const messageOf = (attempt: Attempt): string | null => {
    if (attempt.fault === null) return null;
    if (attempt.network !== undefined) return networkMessage(attempt.network);
    return providerMessages.find((each) => nameOf(each) === nameOf(attempt))?.message ?? null;
  };
  const columns: Column<Attempt>[] = [
    {
      title: "Model",
      show: (attempt) => <code>{nameOf(attempt)}</code>,
      text: nameOf,
    },
    {
      title: "Ended",
      show: ({ fault, code }) => (
        <>
          <End fault={fault} /> {fault !== null && faultText(code ?? fault)}
        </>
      ),
      text: ({ fault, code }) => code ?? fault ?? "answered",
    },
    {
      title: "Provider’s message",
      isOptional: true,
      show: (attempt) => messageOf(attempt) ?? none,
      text: messageOf,
    },
    numberColumn("HTTP", ({ status }) => status),
    numberColumn("Took", ({ latencyMs }) => latencyMs, duration),
    textColumn("Stream", (attempt) => streamText(attempt) || null),
    { title: "Billed", text: ({ billed }) => billed },
    numberColumn(
      "Cost",
      ({ costMicroUsd }) => (typeof costMicroUsd === "number" ? costMicroUsd / 1e6 : null),
      usdOfCall,
    ),
  ];
  return (
    <Table
      name="Attempts"
      {...{ columns }}
      rows={attempts}
      keyOf={(attempt) => String(attempts.indexOf(attempt))}
      empty="No provider was called."
    />
  );
}
