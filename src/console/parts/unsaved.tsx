import { useLocation } from "preact-iso/router";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { guardPage } from "../leaving.ts";
import { Confirm } from "./dialog.tsx";

/** The target within the console, in this tab. */
function linkOf({ target, button, ctrlKey, metaKey, shiftKey }: MouseEvent): string | null {
  const link = target instanceof Element ? target.closest("a") : null;
  const isOwn = link !== null && link.target === "" && link.origin === location.origin;
  const isPlain = button === 0 && !ctrlKey && !metaKey && !shiftKey;
  return isOwn && isPlain && !link.download && link.pathname !== location.pathname
    ? link.href.slice(location.origin.length)
    : null;
}

/** The browser confirms closing the tab. */
const warn = (event: Event): void => event.preventDefault();

export function useUnsaved(isUnsaved: boolean, lost = "Your changes"): JSX.Element | null {
  const { url, route } = useLocation();
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const [isLeaving, setLeaving] = useState(false);
  useEffect(() => {
    if (!isUnsaved || isLeaving) return undefined;
    const ask = (event: Event): void => {
      const href = event instanceof MouseEvent ? linkOf(event) : null;
      if (event instanceof MouseEvent && href === null) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (href !== null) return setLeave(() => () => route(href));
      // The browser has already left this address; Back leads to the previous one.
      history.pushState(null, "", url);
      setLeave(() => () => history.back());
    };
    const letGo = guardPage(ask);
    addEventListener("beforeunload", warn);
    return () => {
      letGo();
      removeEventListener("beforeunload", warn);
    };
  }, [isUnsaved, isLeaving, url, route]);
  useEffect(() => {
    if (isLeaving) leave?.();
  }, [isLeaving]);
  if (leave === null || isLeaving) return null;
  return (
    <Confirm
      title="Leave without saving"
      act={async () => ({ ok: true, value: null, tag: null })}
      onDone={() => setLeaving(true)}
      onClose={() => setLeave(null)}
    >
      <p>{lost} on this page will be lost.</p>
    </Confirm>
  );
}
