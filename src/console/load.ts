import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf, api, type Inputs, type Read, type Readable, type ReadResult } from "./api.ts";
import { tenantHere } from "./place.ts";
import type { Asked, Problem } from "./problem.ts";

export type Loaded<T> =
  | { state: "loading" }
  | { state: "failed"; problem: Problem }
  | { state: "there"; value: T; tag: string | null; stale?: Problem };

export type Loading<T> = { loaded: Loaded<T>; again: () => Promise<void> };

/** `undefined` while it loads, or if it failed. */
export const valueIn = <T>({ loaded }: Pick<Loading<T>, "loaded">): T | undefined =>
  loaded.state === "there" ? loaded.value : undefined;

/** Network errors keep the last value; refusals don't. */
const failed = <T>(problem: Problem, before: Loaded<T> | null): Loaded<T> =>
  before?.state === "there" && (problem.status === 0 || problem.status >= 500)
    ? { ...before, stale: problem }
    : { state: "failed", problem };

/** @param request identifies the request within the tenant; a change reloads */
export function useLoaded<T>(request: string, ask: () => Promise<Asked<T>>): Loading<T> {
  const what = `${tenantHere()} ${request}`;
  const [loaded, setLoaded] = useState({ what, found: { state: "loading" } as Loaded<T> });
  const newest = useRef(0);
  const asking = useRef(ask);
  asking.current = ask;
  const load = async (): Promise<void> => {
    const loadNumber = ++newest.current;
    const answer = await asking.current();
    // Ignores answers out of order.
    if (loadNumber !== newest.current) return;
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

/** Repeats while the page is visible, without overlap. `ms` `null`: never. */
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

/** Reads the API, and again when the address changes. */
export const useRead = <P extends Readable>(path: P, ...input: Inputs<Read<P>>) =>
  useLoaded<ReadResult<P>>(addressOf(path, input[0]), () => api.GET(path, ...input));
