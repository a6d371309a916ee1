/** What a page shows comes from the API: it loads, fails, or is there. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Asked, Problem } from "./problem.ts";

export type Loaded<T> =
  | { state: "loading" }
  | { state: "failed"; problem: Problem }
  | {
      state: "there";
      value: T;
      tag: string | null;
      /** why the value could not be refreshed; absent: it is the newest answer */
      stale?: Problem;
    };

export interface Loading<T> {
  loaded: Loaded<T>;
  /** Asks again. What is there stays until the answer comes. */
  again: () => Promise<void>;
}

/** A router that can't be reached for a moment takes nothing away that was seen before. A refusal does. */
const failed = <T>(problem: Problem, before: Loaded<T> | null): Loaded<T> =>
  before?.state === "there" && (problem.status === 0 || problem.status >= 500)
    ? { ...before, stale: problem }
    : { state: "failed", problem };

/** @param what names what is asked for: another text asks anew */
export function useLoaded<T>(what: string, ask: () => Promise<Asked<T>>): Loading<T> {
  const [loaded, setLoaded] = useState<{ what: string; found: Loaded<T> }>({
    what,
    found: { state: "loading" },
  });
  const newest = useRef(0);
  const asking = useRef(ask);
  asking.current = ask;
  const load = async (): Promise<void> => {
    newest.current += 1;
    const turn = newest.current;
    const answer = await asking.current();
    // An earlier question may be answered later.
    if (turn !== newest.current) return;
    setLoaded((before) => ({
      what,
      found: answer.ok
        ? { state: "there", value: answer.value, tag: answer.tag }
        : failed(answer.problem, before.what === what ? before.found : null),
    }));
  };
  useEffect(() => {
    void load();
    return () => void (newest.current += 1);
  }, [what]);
  return { loaded: loaded.what === what ? loaded.found : { state: "loading" }, again: load };
}

/** Calls again and again while the page is seen; never twice at once. `ms` null: never. */
export function useRepeated(ms: number | null, act: () => Promise<void>): void {
  const acting = useRef(act);
  acting.current = act;
  useEffect(() => {
    if (ms === null) return undefined;
    let isBusy = false;
    const timer = setInterval(() => {
      if (isBusy || document.visibilityState !== "visible") return;
      isBusy = true;
      void acting.current().finally(() => (isBusy = false));
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}
