import type { ComponentChildren, ComponentProps } from "preact";
import { useLocation } from "preact-iso/router";
import { useId, useRef, useState } from "preact/hooks";
import { addressOf, api, type Inputs, type Read, type Readable, type ReadResult } from "../api.ts";
import { useRead, valueIn, type Loading } from "../load.ts";
import { ok, type Asked } from "../problem.ts";
import { mayChange } from "../session.ts";
import { Dialog } from "./dialog.tsx";
import { Button, Facts, Page, Pick, There, type Fact } from "./page.tsx";
import { Table, type TableProps } from "./table.tsx";

export interface Part<Row> {
  data: Row[];
  nextCursor: string | null;
}

export interface Paging<Row, More = unknown> {
  loading: Loading<Part<Row> & More>;
  cursor: string | null;
  go: (cursor: string | null) => void;
}

type Pageable = { [P in Readable]: ReadResult<P> extends Part<unknown> ? P : never }[Readable];

/** A list of the API by its path, a hundred rows a page. Others, for example of a new filter, start at the first page. */
export function usePaging<P extends Pageable>(
  path: P,
  input: Readonly<Record<string, string | number>> = {},
): Paging<ReadResult<P>["data"][number], ReadResult<P>> {
  const list = addressOf(path, input);
  const [at, setAt] = useState<{ list: string; cursor: string | null }>({ list, cursor: null });
  const cursor = at.list === list ? at.cursor : null;
  const query = { limit: 100, ...input, cursor };
  const loading = useRead(path, ...([query] as unknown as Inputs<Read<P>>));
  return { loading, cursor, go: (next) => setAt({ list, cursor: next }) };
}

/** All pages of a list, at most 50. */
export async function allPages<P extends Pageable>(
  path: P,
  query: { limit: number; cursor?: string },
  before: ReadResult<P>[] = [],
): Promise<Asked<ReadResult<P>[]>> {
  const page = await api.GET(path, ...([query] as unknown as Inputs<Read<P>>));
  if (!page.ok) return page;
  const { nextCursor: cursor } = page.value as Part<unknown>;
  const pages = [...before, page.value as ReadResult<P>];
  const isLast = cursor === null || pages.length >= 50;
  return isLast ? ok(pages) : allPages(path, { ...query, cursor }, pages);
}

type StepsProps = Pick<Paging<unknown>, "cursor" | "go"> & { next: string | null };

export function Steps({ cursor, next, go }: StepsProps) {
  if (cursor === null && next === null) return null;
  return (
    <span class="steps">
      <Button class="quiet" disabled={cursor === null} onClick={() => go(null)}>
        Newest
      </Button>
      <Button class="quiet" disabled={next === null} onClick={() => go(next)}>
        Older
      </Button>
    </span>
  );
}

type Changes = Record<string, string | undefined>;
type Change = (changes: Changes) => void;

/** An empty text removes a member. Back undoes `change`, but not `type`, which is for typed text. */
export type Query = [query: Readonly<Record<string, string>>, change: Change, type: Change];

export function useQuery(): Query {
  const { path, query, route } = useLocation();
  const go = (changes: Changes, replaces: boolean): void => {
    const kept = Object.entries({ ...query, ...changes }).filter(([, value = ""]) => value !== "");
    const text = new URLSearchParams(kept as [string, string][]).toString();
    route(text === "" ? path : `${path}?${text}`, replaces);
  };
  return [query, (changes) => go(changes, false), (changes) => go(changes, true)];
}

type ChoiceProps = Omit<ComponentProps<typeof Pick>, "onPick"> & { name: string };

/** Of a member of the address. */
export function Choice({ name, ...its }: ChoiceProps) {
  const [, change] = useQuery();
  return <Pick {...its} onPick={(value) => change({ [name]: value })} />;
}

/** The opened row is in the address. Closing navigates back. */
export function useOpened([query, change, type]: Query) {
  const isFromHere = useRef(false);
  return {
    shown: query["open"],
    open(id: string) {
      isFromHere.current = true;
      change({ open: id });
    },
    close(): void {
      if (isFromHere.current) history.back();
      else type({ open: "" });
      isFromHere.current = false;
    },
  };
}

interface RowActionsProps<Verb extends string> {
  /** the row's name */
  of: string;
  verbs: readonly Verb[];
  act: (verb: Verb) => void;
}

const isFinal = (verb: string): boolean => /^(Delete|Deny|End|Erase|Revoke)/.test(verb);
const maxInRow = 3;

/** Many are in a menu, without what stops a leaked key. */
export function RowActions<Verb extends string>({ of, verbs, act }: RowActionsProps<Verb>) {
  const id = useId();
  if (verbs.length === 0) return null;
  const isMany = verbs.length > maxInRow;
  const urgent = verbs.find((verb) => verb === "Revoke") ?? verbs[0];
  const inRow = verbs.filter((verb) => !isMany || verb === urgent);
  const button = (verb: Verb, size: string) => (
    <Button
      key={verb}
      class={`${size} ${isFinal(verb) ? "danger" : ""}`}
      aria-label={`${verb} ${of}`}
      popovertarget={isMany ? id : undefined}
      popovertargetaction="hide"
      onClick={() => act(verb)}
    >
      {verb}
    </Button>
  );
  return (
    <span class="row-actions">
      {inRow.map((verb) => button(verb, "quiet"))}
      {isMany && (
        <>
          <Button class="quiet" aria-label={`Actions for ${of}`} popovertarget={id}>
            ⋯
          </Button>
          <div popover="auto" id={id} class="menu">
            {verbs.map((verb) => !inRow.includes(verb) && button(verb, ""))}
          </div>
        </>
      )}
    </span>
  );
}

type ListedProps<Row> = Omit<TableProps<Row>, "rows" | "foot"> & {
  paging: Paging<Row>;
  /** `name` in a sentence by default */
  what?: string;
  /** the rows that match a filter */
  keep?: ((row: Row) => boolean) | undefined;
};

export const inSentence = (name: string): string =>
  name.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

export const Listed = <Row,>({ paging, keep = () => true, ...table }: ListedProps<Row>) => (
  <There what={table.what ?? inSentence(table.name)} loading={paging.loading}>
    {({ data, nextCursor }) => (
      <Table {...table} rows={data.filter(keep)} foot={<Steps {...paging} next={nextCursor} />} />
    )}
  </There>
);

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

interface ListPageProps<Row, Verb extends string> extends Pick<
  ListedProps<Row>,
  "what" | "paging" | "columns" | "keep" | "isShown" | "empty" | "order"
> {
  title: string;
  lead: ComponentChildren;
  nameOf: (row: Row) => string;
  details?: (row: Row) => readonly Fact[];
  /** of a row, for roles that may change it */
  verbs?: (row: Row) => readonly Verb[];
  dialog?: (doing: { verb: Verb; row: Row }, ends: Ends) => ComponentChildren;
  make?: { title: string; isOpen?: boolean; dialog: (ends: Ends) => ComponentChildren };
  children?: ComponentChildren;
  below?: ComponentChildren;
}

interface DetailsProps<Verb> {
  title: string;
  facts: readonly Fact[];
  verbs: readonly Verb[];
  act: (verb: Verb) => void;
  onClose: () => void;
}

const Details = <Verb extends string>(props: DetailsProps<Verb>) => (
  <Dialog title={props.title} onClose={props.onClose}>
    <Facts of={props.facts} />
    <div class="buttons">
      {props.verbs.map((verb) => (
        <Button
          key={verb}
          class={isFinal(verb) ? "danger" : ""}
          onClick={() => {
            props.onClose();
            props.act(verb);
          }}
        >
          {verb}
        </Button>
      ))}
    </div>
  </Dialog>
);

export function ListPage<Row extends { id: string }, Verb extends string>(
  props: ListPageProps<Row, Verb>,
) {
  const { title, lead, nameOf, details, verbs, dialog, make, children, below, ...list } = props;
  const [doing, begin] = useState<{ verb: Verb; row: Row } | "make" | null>(
    make?.isOpen === true && mayChange.value ? "make" : null,
  );
  const { shown, close } = useOpened(useQuery());
  const opened = valueIn(list.paging.loading)?.data.find(({ id }) => id === shown);
  const onClose = (): void => begin(null);
  const onDone = (): void => {
    onClose();
    void list.paging.loading.again();
  };
  const ends = { onDone, onClose };
  const actions = (row: Row) => (
    <RowActions of={nameOf(row)} verbs={verbs?.(row) ?? []} act={(verb) => begin({ verb, row })} />
  );
  const isActed = verbs !== undefined && mayChange.value;
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
      {children}
      <div class="stack">
        <Listed
          {...list}
          name={title}
          columns={isActed ? [...list.columns, { title: "", show: actions }] : list.columns}
          keyOf={({ id }) => id}
        />
        {below}
      </div>
      {opened && details !== undefined && (
        <Details
          title={nameOf(opened)}
          facts={details(opened)}
          verbs={(mayChange.value && verbs?.(opened)) || []}
          act={(verb) => begin({ verb, row: opened })}
          onClose={close}
        />
      )}
      {doing === "make" ? make?.dialog(ends) : doing !== null && dialog?.(doing, ends)}
    </Page>
  );
}
