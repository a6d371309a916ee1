import { Button, Card } from "../parts/card.tsx";
import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { time } from "../format.ts";
import { useRead } from "../load.ts";
import { ProblemNotice, There } from "../parts/notice.tsx";
import type { Asked } from "../problem.ts";

type Sync = Schemas["CatalogueSync"];

function syncText({ state, changes, fault }: Sync): string {
  if (state === "refused")
    return `The file was rejected: ${fault ?? "it contains no usable models"}`;
  if (state === "unchanged" || changes === undefined) return "No changes.";
  const { added, retired, repriced } = changes;
  return `Added: ${added.length}, retired: ${retired.length}, new prices: ${repriced.length}.`;
}

export function Catalogue({ onSynced }: { onSynced: () => void }) {
  const loading = useRead("/admin/v1/catalogue");
  const [found, setFound] = useState<Asked<Sync> | "asking" | null>(null);
  const sync = async (): Promise<void> => {
    setFound("asking");
    setFound(await api.POST("/admin/v1/catalogue/sync"));
    void loading.again();
    onSynced();
  };
  return (
    <Card title="Catalogue">
      <There what="the catalogue" loading={loading}>
        {({ version, models, syncedAt, fault }) => (
          <p>
            Catalogue of {version.slice(0, 10)} (<code>{version}</code>), {models} models,{" "}
            {syncedAt === null ? "bundled with the router" : `from ${time(syncedAt)}`}
            {fault !== null && `. The last file was rejected: ${fault}`}
          </p>
        )}
      </There>
      <Button disabled={found === "asking"} onClick={() => void sync()}>
        {found === "asking" ? "Looking…" : "Sync now"}
      </Button>
      {found !== null && found !== "asking" && !found.ok && (
        <ProblemNotice problem={found.problem} />
      )}
      {found !== null && found !== "asking" && found.ok && (
        <p role="status">{syncText(found.value)}</p>
      )}
    </Card>
  );
}
