import { useRead, useRepeated } from "../load.ts";
import { Dialog } from "../parts/dialog.tsx";
import { There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { requestPath } from "../place.ts";
import { RequestDetail } from "../requests/detail.tsx";

/** ms between polls while it runs */
const runningMs = 2_000;

function Loaded({ id }: { id: string }) {
  const loading = useRead("/admin/v1/tenants/{tenant}/requests/{id}", { id });
  const { loaded, again } = loading;
  const isRunning = loaded.state === "there" && loaded.value.outcome === "admitted";
  useRepeated(isRunning ? runningMs : null, again);
  return (
    <There what="the request" loading={loading}>
      {(record) => <RequestDetail record={record} onChanged={() => void again()} />}
    </There>
  );
}

export const Request = ({ params: { id } }: { params: { id: string } }) => (
  <Page title="Request" lead={<a href={requestPath()}>Back to requests</a>}>
    <Loaded id={id} />
  </Page>
);

export const RequestDrawer = ({ id, onClose }: { id: string; onClose: () => void }) => (
  <Dialog title="Request" onClose={onClose} isDrawer>
    <p>
      <a href={requestPath(id)}>Open as a page</a>
    </p>
    <Loaded id={id} />
  </Dialog>
);
