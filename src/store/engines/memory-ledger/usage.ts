/** Hourly usage of a call. Must match the SQL of `store/records/usage.ts`. */
import type { AdmitEntry, SettleEntry } from "../contract/entries.ts";
import type { OpenCall } from "./open-calls.ts";
import type { Bound } from "../contract/sql.ts";
import type { UsageSums } from "./sums.ts";

const hourMs = 3_600_000;
const hourOf = (moment: number): number => Math.floor(moment / hourMs) * 3_600;
const noServer = "";
const noModel = "";

export function countRefused(
  usage: UsageSums,
  entry: Pick<AdmitEntry, "tenantId" | "createdAt" | "keyId" | "serverId">,
  model: Bound,
): void {
  const { tenantId, createdAt, keyId, serverId } = entry;
  usage.add([tenantId, hourOf(createdAt), keyId, serverId ?? noServer, String(model ?? noModel)], {
    refused: 1,
  });
}

export function countSettled(usage: UsageSums, entry: SettleEntry, call: OpenCall): void {
  const hour = hourOf(call.admittedAt);
  for (const { requests, ...booking } of entry.usageEntries)
    usage.add(
      [
        entry.tenantId,
        hour,
        call.keyId,
        call.serverId ?? noServer,
        booking.model ?? entry.model ?? call.model ?? noModel,
      ],
      {
        [entry.outcome]: requests,
        input_tokens: booking.inputTokens,
        output_tokens: booking.outputTokens,
        cost_micro_usd: booking.costMicroUsd,
      },
    );
}
