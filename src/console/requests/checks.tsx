import { Button } from "../parts/card.tsx";
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { ProblemNotice } from "../parts/notice.tsx";
import { NotForRole } from "../parts/role.tsx";
import { prefix, tenantHere } from "../place.ts";
import type { Asked } from "../problem.ts";
import { may } from "../session.ts";
import type { WholeRecord } from "./record.ts";
import type { Verdict } from "./verify.ts";

interface DetailProps {
  record: WholeRecord;
}

export function Seal({ record }: DetailProps) {
  const [verdict, setVerdict] = useState<Verdict | "asking" | null>(null);
  const verify = async (): Promise<void> => {
    setVerdict("asking");
    try {
      const { verifyRecord } = await import("./verify.ts");
      setVerdict(await verifyRecord({ tenant: tenantHere(), prefix, record }));
    } catch {
      // A newer version has other files.
      setVerdict({ isGenuine: false, says: "Reload the page.", seal: null, findings: [] });
    }
  };
  if (!may("audit"))
    return <NotForRole what="can’t read seals, so it can’t verify" permission="audit" />;
  return (
    <>
      <Button disabled={verdict === "asking"} onClick={() => void verify()}>
        {verdict === "asking" ? "Verifying…" : "Verify in this browser"}
      </Button>
      {verdict !== null && verdict !== "asking" && (
        <div
          class={`notice ${verdict.isGenuine ? "good" : verdict.seal === null ? "warn" : "bad"}`}
          role="status"
        >
          <strong>{verdict.isGenuine ? "Genuine" : "Not verified"}</strong>
          <p>{verdict.says}</p>
          {verdict.findings.length > 0 && (
            <ul>
              {verdict.findings.map((finding) => (
                <li key={finding}>{finding}</li>
              ))}
            </ul>
          )}
        </div>
      )}
    </>
  );
}

type Replay = { same: boolean; differences: string[] };

export function ReplayButton({ record }: DetailProps) {
  const [found, setFound] = useState<Asked<Replay> | null>(null);
  const replay = async (): Promise<void> => {
    const params = { id: record.id };
    setFound(await api.POST("/admin/v1/tenants/{tenant}/requests/{id}/replay", params));
  };
  return (
    <>
      <Button onClick={() => void replay()}>Re-run selection (no model is called)</Button>
      {found !== null && !found.ok && <ProblemNotice problem={found.problem} />}
      {found?.ok === true && (
        <div class={`notice ${found.value.same ? "good" : "warn"}`} role="status">
          <strong>
            {found.value.same
              ? "The same model would be selected today."
              : "Another model would be selected today."}
          </strong>
          {found.value.differences.length > 0 && (
            <ul>
              {found.value.differences.map((difference) => (
                <li key={difference}>{difference}</li>
              ))}
            </ul>
          )}
        </div>
      )}
    </>
  );
}
