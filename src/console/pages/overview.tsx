import { useMemo } from "preact/hooks";
import { api, asked } from "../api.ts";
import { useLoaded, useRepeated } from "../load.ts";
import {
  ranges,
  type LimitState,
  type MetricName,
  type RangeName,
  type UsageRow,
} from "../overview-figures.ts";
import { There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { useQuery } from "../parts/pages.tsx";
import { tenantPath } from "../place.ts";
import type { Asked } from "../problem.ts";
import { Budgets } from "./budgets.tsx";
import { UsagePart, type Split } from "./usage-part.tsx";

const refreshMs = 30_000;
const splits: readonly Split[] = ["model", "server", "key", "user", "endpoint"];

/** 200 keys and servers each; the API has the rest. */
const maxParts = 5;

interface LimitPart {
  data: LimitState[];
  names: Record<string, string>;
  nextCursor: string | null;
}

/** The fullest budget may be on any page of the list. */
async function limitsOf(tenant: string): Promise<Asked<LimitPart>> {
  let cursor: string | null = null;
  let all: LimitPart = { data: [], names: {}, nextCursor: null };
  for (let part = 1; ; part += 1) {
    const query: { limit: number; cursor?: string } = {
      limit: 200,
      ...(cursor !== null && { cursor }),
    };
    const found: Asked<LimitPart> = await asked(
      api.GET("/admin/v1/tenants/{tenant}/limits", { params: { path: { tenant }, query } }),
    );
    if (!found.ok) return found;
    const { data, names, nextCursor } = found.value;
    all = { data: [...all.data, ...data], names: { ...all.names, ...names }, nextCursor };
    if (nextCursor === null || part === maxParts) return { ...found, value: all };
    cursor = nextCursor;
  }
}

function Limits({ tenant }: { tenant: string }) {
  const loading = useLoaded(`limits of ${tenant}`, () => limitsOf(tenant));
  useRepeated(refreshMs, loading.again);
  return (
    <There what="limits" loading={loading}>
      {({ data, names, nextCursor }) => (
        <Budgets tenant={tenant} states={data} names={names} hasMore={nextCursor !== null} />
      )}
    </There>
  );
}

interface Usage {
  data: UsageRow[];
  names?: Record<string, string>;
  /** sums over all, since there are too many rows */
  isWhole?: true;
}

async function usageOf(
  tenant: string,
  { range, by }: { range: RangeName; by: Split | "all" },
): Promise<Asked<Usage>> {
  const { ms, bucket } = ranges[range];
  const until = Date.now();
  const usageBy = (group: Split | "all") =>
    asked(
      api.GET("/admin/v1/tenants/{tenant}/usage", {
        params: {
          path: { tenant },
          query: { from: until - ms, to: until + 1, bucket, by: group },
        },
      }),
    );
  const found = await usageBy(by);
  if (!found.ok || found.value.nextCursor === null || by === "all") return found;
  const whole = await usageBy("all");
  return whole.ok ? { ...whole, value: { ...whole.value, isWhole: true } } : whole;
}

export function Overview({ params: { tenant } }: { params: { tenant: string } }) {
  const [query, change] = useQuery();
  const range =
    (query["range"] ?? "24h") in ranges ? ((query["range"] ?? "24h") as RangeName) : "24h";
  const by = splits.find((each) => each === query["by"]) ?? "model";
  const metric = (query["metric"] ?? "requests") as MetricName;
  const isTable = query["table"] === "yes";
  const asks = metric === "duration" ? "all" : by;
  const loading = useLoaded(`usage of ${tenant} ${range} ${asks}`, () =>
    usageOf(tenant, { range, by: asks }),
  );
  useRepeated(refreshMs, loading.again);
  const choices = useMemo(() => ({ range, by, metric, isTable }), [range, by, metric, isTable]);
  return (
    <Page
      title="Overview"
      lead="Budgets and usage."
      actions={
        <a class="button" href={tenantPath(tenant, "/requests")}>
          View requests
        </a>
      }
    >
      <div class="stack">
        <Limits tenant={tenant} />
        <There what="usage" loading={loading}>
          {({ data, names = {}, isWhole = false }) => (
            <UsagePart {...{ tenant, rows: data, names, isWhole, choices, change }} />
          )}
        </There>
      </div>
    </Page>
  );
}
