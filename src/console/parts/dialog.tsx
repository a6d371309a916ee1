import { Button } from "./card.tsx";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Asked } from "../problem.ts";
import { Form } from "./form.tsx";

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
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
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
      onClick={({ target }) => {
        if (target === dialog.current && isPressedBeside.current) dialog.current?.close();
      }}
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
            act={async () => ({ ok: true, value: null, tag: null })}
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

interface ConfirmProps extends DialogProps {
  act: () => Promise<Asked<unknown>>;
  onDone: () => void;
}

export const Confirm = ({ title, children, act, onDone, onClose }: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    <Form
      submit={title}
      isDanger
      onCancel={onClose}
      act={async () => {
        const done = await act();
        if (done.ok) onDone();
        return done;
      }}
    >
      {children}
    </Form>
  </Dialog>
);
