/** Lists come in parts. The part that is shown stands in the address, so that a link leads to it. */
import { useLocation } from "preact-iso/router";
import { useRef, useState } from "preact/hooks";
import type { Asked } from "../problem.ts";
import { useLoaded, type Loading } from "../load.ts";

export interface Part<Row> {
  data: Row[];
  nextCursor: string | null;
}

/** `More`: what a part has besides its rows */
export interface Paging<Row, More = unknown> {
  loading: Loading<Part<Row> & More>;
  cursor: string | null;
  go: (cursor: string | null) => void;
}

/** A list whose part this page remembers by itself. */
export function usePaging<Row, More = unknown>(
  what: string,
  ask: (page: { cursor?: string; limit: number }) => Promise<Asked<Part<Row> & More>>,
): Paging<Row, More> {
  const [cursor, go] = useState<string | null>(null);
  const loading = useLoaded(`${what} ${cursor ?? ""}`, () =>
    ask({ limit: 100, ...(cursor !== null && { cursor }) }),
  );
  return { loading, cursor, go };
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
      <button type="button" class="quiet" disabled={cursor === null} onClick={() => go(null)}>
        Newest
      </button>
      <button type="button" class="quiet" disabled={next === null} onClick={() => go(next)}>
        Older
      </button>
    </span>
  );
}

type Change = (changes: Record<string, string>) => void;

/**
 * Members of the address's query, and how to change some of them. An empty text takes one away. The browser's Back undoes
 * a `change`, and no `type`: text that is being typed would be undone letter by letter.
 */
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
  /** the id of what is open beside the list; undefined: nothing is */
  shown: string | undefined;
  open: (id: string) => void;
  close: () => void;
}

/** What is open beside a list stands in the address. Closing goes back, so that Back does not open it again. */
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
