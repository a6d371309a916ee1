import { useLoaded, useRepeated } from "../load.ts";
import { Dialog } from "../parts/dialog.tsx";
import { There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { requestPath } from "../place.ts";
import { RequestDetail } from "../requests/detail.tsx";
import { readRequest } from "../requests/record.ts";

/** ms between polls while it runs */
const runningMs = 2_000;

function useRequest(id: string) {
  const loading = useLoaded(`request ${id}`, () => readRequest(id));
  const { loaded, again } = loading;
  const isRunning = loaded.state === "there" && loaded.value.outcome === "admitted";
  useRepeated(isRunning ? runningMs : null, again);
  return loading;
}

export function Request({ params: { id } }: { params: { id: string } }) {
  const loading = useRequest(id);
  return (
    <Page title="Request" lead={<a href={requestPath()}>Back to requests</a>}>
      <There what="the request" loading={loading}>
        {(record) => <RequestDetail record={record} onChanged={() => void loading.again()} />}
      </There>
    </Page>
  );
}

interface DrawerProps {
  id: string;
  onClose: () => void;
}

export function RequestDrawer({ id, onClose }: DrawerProps) {
  const loading = useRequest(id);
  return (
    <Dialog title="Request" onClose={onClose} isDrawer>
      <p>
        <a href={requestPath(id)}>Open as a page</a>
      </p>
      <There what="the request" loading={loading}>
        {(record) => <RequestDetail record={record} onChanged={() => void loading.again()} />}
      </There>
    </Dialog>
  );
}
