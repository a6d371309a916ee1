import { api, asked } from "../api.ts";
import { useLoaded, useRepeated } from "../load.ts";
import { tenantPath } from "../place.ts";

const pendingPollMs = 2_000;

/** While the call is sent: whether it waits for an approval. */
export function Pending({ tenant, keyId }: { tenant: string; keyId: string }) {
  const { loaded, again } = useLoaded(`pending approvals of ${tenant}`, () =>
    asked(
      api.GET("/admin/v1/tenants/{tenant}/approvals", {
        params: { path: { tenant }, query: { state: "waiting" } },
      }),
    ),
  );
  useRepeated(pendingPollMs, again);
  const own = loaded.state === "there" && loaded.value.data.find((each) => each.keyId === keyId);
  if (!own) return null;
  const at = `${tenantPath(tenant, "/approvals")}?open=${encodeURIComponent(own.requestId)}`;
  return (
    <p class="notice warn" role="status">
      The call is pending approval.{" "}
      <a href={at} target="_blank">
        Approve or deny
      </a>
    </p>
  );
}
