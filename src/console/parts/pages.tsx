import { useLocation } from "preact-iso/router";
import { useRef, useState } from "preact/hooks";
import type { Asked } from "../problem.ts";
import { useLoaded, type Loading } from "../load.ts";

export interface Part<Row> {
  data: Row[];
  nextCursor: string | null;
}

export interface Paging<Row, More = unknown> {
  loading: Loading<Part<Row> & More>;
  cursor: string | null;
  go: (cursor: string | null) => void;
}

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
