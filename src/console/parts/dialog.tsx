import { Button } from "./card.tsx";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Asked, Problem } from "../problem.ts";
import { ProblemNotice } from "./notice.tsx";

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
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isDrawer === true ? "drawer" : ""}
      aria-label={title}
      onClose={onClose}
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
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  children: ComponentChildren;
  act: () => Promise<Asked<unknown>>;
  onDone: () => void;
  onClose: () => void;
}

export function Confirm({ title, children, act, onDone, onClose }: ConfirmProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    const done = await act();
    setBusy(false);
    if (done.ok) onDone();
    else setProblem(done.problem);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {problem !== null && <ProblemNotice problem={problem} />}
      <div class="buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button class="danger" disabled={isBusy} onClick={() => void confirm()}>
          {title}
        </Button>
      </div>
    </Dialog>
  );
}
