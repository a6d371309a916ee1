import { useLoaded, useRepeated } from "../load.ts";
import { Dialog } from "../parts/dialog.tsx";
import { There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { requestPath } from "../place.ts";
import { RequestDetail } from "../requests/detail.tsx";
import { readRequest } from "../requests/record.ts";

/** ms between polls while it runs */
const runningMs = 2_000;

function useRequest(tenant: string, id: string) {
  const loading = useLoaded(`request ${id} of ${tenant}`, () => readRequest(tenant, id));
  const { loaded, again } = loading;
  const isRunning = loaded.state === "there" && loaded.value.outcome === "admitted";
  useRepeated(isRunning ? runningMs : null, again);
  return loading;
}

export function Request({ params: { tenant, id } }: { params: { tenant: string; id: string } }) {
  const loading = useRequest(tenant, id);
  return (
    <Page title="Request" lead={<a href={requestPath(tenant)}>Back to requests</a>}>
      <There what="the request" loading={loading}>
        {(record) => (
          <RequestDetail tenant={tenant} record={record} onChanged={() => void loading.again()} />
        )}
      </There>
    </Page>
  );
}

interface DrawerProps {
  tenant: string;
  id: string;
  onClose: () => void;
}

export function RequestDrawer({ tenant, id, onClose }: DrawerProps) {
  const loading = useRequest(tenant, id);
  return (
    <Dialog title="Request" onClose={onClose} isDrawer>
      <p>
        <a href={requestPath(tenant, id)}>Open as a page</a>
      </p>
      <There what="the request" loading={loading}>
        {(record) => (
          <RequestDetail tenant={tenant} record={record} onChanged={() => void loading.again()} />
        )}
      </There>
    </Dialog>
  );
}
