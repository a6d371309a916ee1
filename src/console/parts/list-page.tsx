import type { ComponentChildren, ComponentProps } from "preact";
import { useLocation } from "preact-iso/router";
import { useRef, useState } from "preact/hooks";
import { addressOf, api, type Inputs, type Read, type Readable, type ReadResult } from "../api.ts";
import { useLoaded, useRead, valueIn, type Loading } from "../load.ts";
import { ok, type Asked } from "../problem.ts";
import { mayChange } from "../session.ts";
import { Confirm, Dialog } from "./dialog.tsx";
import { Button, Facts, Page, Pick, There, type Fact } from "./page.tsx";
import { isFinal, RowActions } from "./row-actions.tsx";
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

/** Also with the names of all of them. */
function joined<Page extends Part<unknown>>(pages: readonly Page[]): Page {
  const names = Object.assign({}, ...pages.map((page) => "names" in page && page.names)) as object;
  return {
    ...pages[0],
    data: pages.flatMap(({ data }) => data),
    nextCursor: null,
    names,
  } as Part<unknown> as Page;
}

/** A page of a list, or all of them to search in. */
export function useSearched<P extends Pageable>(path: P, isSearch: boolean) {
  const paging = usePaging(path);
  const isWhole = paging.cursor === null && valueIn(paging.loading)?.nextCursor === null;
  const readsAll = isSearch && !isWhole;
  const all = useLoaded(`all of ${path} ${readsAll}`, async () => {
    const asked = readsAll ? await allPages(path, { limit: 200 }) : ok([]);
    return asked.ok ? ok(joined<ReadResult<P> & Part<unknown>>(asked.value)) : asked;
  });
  const again = async () => void (await Promise.all([paging.loading.again(), all.again()]));
  return { ...paging, loading: { ...(readsAll ? all : paging.loading), again } };
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

type Doing<Row, Verb> = { verb: Verb; row: Row };

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
  dialog?: (doing: Doing<Row, Verb>, ends: Ends) => ComponentChildren;
  /** after a question; the title's first word is on the row's button */
  remove?: {
    title: string;
    act: (row: Row) => Promise<Asked<unknown>>;
    question: (row: Row) => ComponentChildren;
  };
  make?: { title: string; isOpen?: boolean; dialog: (ends: Ends) => ComponentChildren };
  children?: ComponentChildren;
  below?: ComponentChildren;
}

type DetailsProps<Row, Verb extends string> = Pick<
  ListPageProps<Row, Verb>,
  "paging" | "nameOf"
> & {
  details: (row: Row) => readonly Fact[];
  verbsOf: (row: Row) => readonly Verb[];
  begin: (doing: Doing<Row, Verb>) => void;
};

function Details<Row extends { id: string }, Verb extends string>(props: DetailsProps<Row, Verb>) {
  const { shown, close } = useOpened(useQuery());
  const row = valueIn(props.paging.loading)?.data.find(({ id }) => id === shown);
  if (row === undefined) return null;
  return (
    <Dialog title={props.nameOf(row)} onClose={close}>
      <Facts of={props.details(row)} />
      <div class="buttons">
        {props.verbsOf(row).map((verb) => (
          <Button
            key={verb}
            class={isFinal(verb) ? "danger" : ""}
            onClick={() => {
              close();
              props.begin({ verb, row });
            }}
          >
            {verb}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}

export function ListPage<Row extends { id: string }, Verb extends string>(
  props: ListPageProps<Row, Verb>,
) {
  const { title, lead, nameOf, details, verbs, remove, dialog, make, ...list } = props;
  const [doing, begin] = useState<Doing<Row, Verb> | "make" | null>(
    make?.isOpen === true && mayChange.value ? "make" : null,
  );
  const ends: Ends = {
    onClose: () => begin(null),
    onDone() {
      begin(null);
      void list.paging.loading.again();
    },
  };
  const final = remove?.title.split(" ")[0] as Verb | undefined;
  const isActed = (verbs ?? remove) !== undefined && mayChange.value;
  const verbsOf = (row: Row): Verb[] =>
    isActed ? [...(verbs?.(row) ?? []), ...(final ? [final] : [])] : [];
  const actions = (row: Row) => (
    <RowActions of={nameOf(row)} verbs={verbsOf(row)} act={(verb) => begin({ verb, row })} />
  );
  const begun = doing === "make" ? null : doing;
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
          {...list}
          name={title}
          columns={isActed ? [...list.columns, { title: "", show: actions }] : list.columns}
          keyOf={({ id }) => id}
        />
        {props.below}
      </div>
      {details && <Details paging={list.paging} {...{ nameOf, details, verbsOf, begin }} />}
      {doing === "make" && make?.dialog(ends)}
      {begun && begun.verb !== final && dialog?.(begun, ends)}
      {remove && begun?.verb === final && begun && (
        <Confirm title={remove.title} act={() => remove.act(begun.row)} {...ends}>
          <div class="stack">{remove.question(begun.row)}</div>
        </Confirm>
      )}
    </Page>
  );
}
