import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { mayChange } from "../session.ts";
import { Listed } from "./listed.tsx";
import { Page } from "./page.tsx";
import type { Paging } from "./pages.tsx";
import type { Column } from "./table.tsx";

export interface Ends {
  onDone: () => void;
  onClose: () => void;
}

interface ListPageProps<Row, Doing> {
  title: string;
  lead: string;
  what?: string;
  paging: Paging<Row>;
  columns: (begin: (doing: Doing) => void) => readonly Column<Row>[];
  empty: string;
  action?: { title: string; doing: Doing };
  dialog: (doing: Doing, ends: Ends) => ComponentChildren;
  children?: ComponentChildren;
  below?: ComponentChildren;
}

export function ListPage<Row extends { id: string }, Doing>(props: ListPageProps<Row, Doing>) {
  const { title, lead, what = title.toLowerCase(), paging, columns, empty, action } = props;
  const [doing, begin] = useState<Doing | null>(null);
  const onClose = (): void => begin(null);
  const onDone = (): void => {
    onClose();
    void paging.loading.again();
  };
  return (
    <Page
      title={title}
      lead={lead}
      actions={
        action !== undefined &&
        mayChange.value && (
          <button type="button" class="main" onClick={() => begin(action.doing)}>
            {action.title}
          </button>
        )
      }
    >
      {props.children}
      <div class="stack">
        <Listed
          what={what}
          paging={paging}
          name={title}
          columns={columns(begin)}
          keyOf={({ id }) => id}
          empty={empty}
        />
        {props.below}
      </div>
      {doing !== null && props.dialog(doing, { onDone, onClose })}
    </Page>
  );
}
