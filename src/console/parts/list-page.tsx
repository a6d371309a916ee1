import { Button } from "./card.tsx";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { mayChange } from "../session.ts";
import { Dialog } from "./dialog.tsx";
import { Facts, type Fact } from "./facts.tsx";
import { Listed } from "./listed.tsx";
import { Page } from "./page.tsx";
import { useOpened, useQuery, type Paging } from "./pages.tsx";
import { RowActions } from "./row-actions.tsx";
import type { Column } from "./table.tsx";

export interface Ends {
  onDone: () => void;
  onClose: () => void;
}

/** To the row's details. */
export const DetailsOf = ({ id, name }: { id: string; name: string }) => (
  <a href={`${location.pathname}?open=${id}`} title={name}>
    {name}
  </a>
);

export const NoMatch = ({ clear }: { clear: () => void }) => (
  <>
    Nothing matches.{" "}
    <Button class="quiet" onClick={clear}>
      Clear
    </Button>
  </>
);

interface ListPageProps<Row, Verb extends string> {
  title: string;
  lead: ComponentChildren;
  what?: string;
  paging: Paging<Row>;
  columns: readonly Column<Row>[];
  keep?: (row: Row) => boolean;
  isShown?: (row: Row) => boolean;
  nameOf: (row: Row) => string;
  details?: (row: Row) => readonly Fact[];
  /** of a row, for roles that may change it */
  verbs?: (row: Row) => readonly Verb[];
  dialog?: (doing: { verb: Verb; row: Row }, ends: Ends) => ComponentChildren;
  empty: ComponentChildren;
  make?: { title: string; isOpen?: boolean; dialog: (ends: Ends) => ComponentChildren };
  children?: ComponentChildren;
  below?: ComponentChildren;
}

export function ListPage<Row extends { id: string }, Verb extends string>(
  props: ListPageProps<Row, Verb>,
) {
  const { title, lead, what = title.toLowerCase(), paging, columns, empty } = props;
  const { nameOf, verbs, dialog, make, keep, isShown, details } = props;
  const [doing, begin] = useState<{ verb: Verb; row: Row } | "make" | null>(
    make?.isOpen === true && mayChange.value ? "make" : null,
  );
  const { shown, close } = useOpened(useQuery());
  const { loaded } = paging.loading;
  const opened = loaded.state === "there" && loaded.value.data.find(({ id }) => id === shown);
  const onClose = (): void => begin(null);
  const onDone = (): void => {
    onClose();
    void paging.loading.again();
  };
  const ends = { onDone, onClose };
  const actions: Column<Row> = {
    title: "",
    show: (row) => (
      <RowActions
        of={nameOf(row)}
        verbs={verbs?.(row) ?? []}
        act={(verb) => begin({ verb, row })}
      />
    ),
  };
  return (
    <Page
      title={title}
      lead={lead}
      actions={
        make !== undefined &&
        mayChange.value && (
          <Button class="main" onClick={() => begin("make")}>
            {make.title}
          </Button>
        )
      }
    >
      {props.children}
      <div class="stack">
        <Listed
          {...{ what, paging, keep, isShown }}
          name={title}
          columns={verbs !== undefined && mayChange.value ? [...columns, actions] : columns}
          keyOf={({ id }) => id}
          empty={empty}
        />
        {props.below}
      </div>
      {opened && details !== undefined && (
        <Dialog title={nameOf(opened)} onClose={close}>
          <Facts of={details(opened)} />
        </Dialog>
      )}
      {doing === "make" ? make?.dialog(ends) : doing !== null && dialog?.(doing, ends)}
    </Page>
  );
}
