import { Button } from "./card.tsx";
import { useLocation } from "preact-iso/router";
import { useRef, useState } from "preact/hooks";
import { addressOf, type Inputs, type Read, type Readable, type ReadResult } from "../api.ts";
import { useRead, type Loading } from "../load.ts";

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

interface StepsProps {
  cursor: string | null;
  next: string | null;
  go: (cursor: string | null) => void;
}

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

type Change = (changes: Record<string, string>) => void;

/** An empty text removes a member. Back undoes `change`, but not `type`, which is for typed text. */
export type Query = [query: Readonly<Record<string, string>>, change: Change, type: Change];

export function useQuery(): Query {
  const { path, query, route } = useLocation();
  const go = (changes: Record<string, string>, replaces: boolean): void => {
    const kept = Object.entries({ ...query, ...changes }).filter(([, value]) => value !== "");
    const text = new URLSearchParams(kept).toString();
    route(text === "" ? path : `${path}?${text}`, replaces);
  };
  return [query, (changes) => go(changes, false), (changes) => go(changes, true)];
}

interface Opened {
  shown: string | undefined;
  open: (id: string) => void;
  close: () => void;
}

/** The opened row is in the address. Closing navigates back. */
export function useOpened([query, change, type]: Query): Opened {
  const isFromHere = useRef(false);
  return {
    shown: query["open"],
    open(id) {
      isFromHere.current = true;
      change({ open: id });
    },
    close() {
      if (isFromHere.current) history.back();
      else type({ open: "" });
      isFromHere.current = false;
    },
  };
}
