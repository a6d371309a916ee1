import type { ComponentChildren, JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { useEffect, useRef, useState } from "preact/hooks";
import { guardPage } from "../leaving.ts";
import { ok } from "../problem.ts";
import { Form, type FormProps } from "./form.tsx";
import { Button } from "./page.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  isDrawer?: true;
}

export function Dialog({ title, onClose, children, isDrawer }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** Selecting text may start inside and end outside the dialog. */
  const isPressedBeside = useRef(false);
  const [isAsking, ask] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class={isDrawer === true ? "drawer" : ""}
      aria-label={title}
      // Browsers let "cancel" be prevented only once.
      onClose={() => {
        if (dialog.current?.querySelector("[data-secret]") === null) return onClose();
        dialog.current?.showModal();
        ask(true);
      }}
      // Clicks outside the content target the dialog itself.
      onPointerDown={({ target }) => (isPressedBeside.current = target === dialog.current)}
      onClick={({ target, currentTarget }) =>
        target === currentTarget && isPressedBeside.current && currentTarget.close()
      }
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2>{title}</h2>
          <Button class="quiet" onClick={() => dialog.current?.close()}>
            Close
          </Button>
        </header>
        {children}
        {isAsking && (
          <Confirm
            title="Close without saving"
            act={async () => ok(null)}
            onDone={onClose}
            onClose={() => ask(false)}
          >
            <p>It is shown only this once.</p>
          </Confirm>
        )}
      </div>
    </dialog>
  );
}

type FormDialogProps<Value> = DialogProps & FormProps<Value>;

export const FormDialog = <Value,>({ title, onClose, ...form }: FormDialogProps<Value>) => (
  <Dialog title={title} onClose={onClose}>
    <Form onCancel={onClose} {...form} />
  </Dialog>
);

export const Confirm = <Value,>(its: Omit<FormDialogProps<Value>, "submit">) => (
  <FormDialog submit={its.title} isDanger {...its} />
);

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
      act={async () => ok(null)}
      onDone={() => setLeaving(true)}
      onClose={() => setLeave(null)}
    >
      <p>{lost} on this page will be lost.</p>
    </Confirm>
  );
}
