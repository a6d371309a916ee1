import { useRead, useRepeated } from "../load.ts";
import { ownPath } from "../place.ts";

const pendingPollMs = 2_000;

/** While the call is sent: whether it waits for an approval. */
export function Pending({ keyId }: { keyId: string }) {
  const { loaded, again } = useRead("/admin/v1/tenants/{tenant}/approvals", { state: "waiting" });
  useRepeated(pendingPollMs, again);
  const own = loaded.state === "there" && loaded.value.data.find((each) => each.keyId === keyId);
  if (!own) return null;
  const at = `${ownPath("/approvals")}?open=${encodeURIComponent(own.requestId)}`;
  return (
    <p class="notice warn" role="status">
      The call is pending approval.{" "}
      <a href={at} target="_blank">
        Approve or deny
      </a>
    </p>
  );
}
