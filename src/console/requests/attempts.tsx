import { duration, none, usdOfCall, spaced } from "../format.ts";
import { Badge } from "../parts/notice.tsx";
import type { Column } from "../parts/table.tsx";
import { streamText } from "./steps.ts";
import type { WholeRecord } from "./record.ts";

type Attempt = WholeRecord["attempts"][number];

type Attempted = Pick<WholeRecord, "providerMessages" | "attempts">;

export const messageOf = (
  { providerMessages }: Attempted,
  { provider, model, fault }: Attempt,
): string =>
  fault === null
    ? ""
    : (providerMessages.find((each) => each.provider === provider && each.model === model)
        ?.message ?? "");

export function attemptColumns(record: Attempted): Column<Attempt>[] {
  const isStreamed = record.attempts.some(({ stream }) => stream !== undefined);
  const message = (attempt: Attempt): string => messageOf(record, attempt);
  return [
    {
      title: "Model",
      show: ({ provider, model }) => <code>{`${provider}/${model}`}</code>,
      text: ({ provider, model }) => `${provider}/${model}`,
    },
    {
      title: "Ended",
      show: ({ fault, code }) =>
        fault === null ? (
          <Badge word="answered" tone="good" />
        ) : (
          <Badge word={spaced(code ?? fault)} tone="bad" />
        ),
      text: ({ fault, code }) => code ?? fault ?? "answered",
    },
    {
      title: "HTTP",
      isNumber: true,
      show: ({ status }) => status ?? none,
      text: ({ status }) => status,
    },
    {
      title: "Took",
      isNumber: true,
      show: ({ latencyMs }) => duration(latencyMs),
      text: ({ latencyMs }) => latencyMs,
    },
    ...(isStreamed ? [{ title: "Stream", show: streamText, text: streamText }] : []),
    { title: "Billed", text: ({ billed }) => billed },
    {
      title: "Cost",
      isNumber: true,
      show: ({ costMicroUsd }) =>
        usdOfCall(typeof costMicroUsd === "number" ? costMicroUsd / 1e6 : null),
      text: ({ costMicroUsd }) => costMicroUsd ?? null,
    },
    { title: "Provider’s message", show: message, text: message },
  ];
}
