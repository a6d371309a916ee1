import { Button } from "./card.tsx";
import { useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";

interface RowActionsProps<Verb extends string> {
  /** the row's name */
  of: string;
  verbs: readonly Verb[];
  act: (verb: Verb) => void;
}

const isFinal = (verb: string): boolean => /^(Delete|End|Erase|Revoke)/.test(verb);
/** What stops a leaked key is never behind another button. */
const isUrgent = (verb: string): boolean => verb === "Revoke";
const maxInRow = 3;

/** Narrow screens have one button that lists the actions. So do rows with many. */
export function RowActions<Verb extends string>({ of, verbs, act }: RowActionsProps<Verb>) {
  const [isOpen, setOpen] = useState(false);
  if (verbs.length === 0) return null;
  const buttons = (shown: readonly Verb[], size: string) =>
    shown.map((verb) => (
      <Button
        key={verb}
        class={`${size} ${isFinal(verb) ? "danger" : ""}`}
        aria-label={`${verb} ${of}`}
        onClick={() => {
          setOpen(false);
          act(verb);
        }}
      >
        {verb}
      </Button>
    ));
  const isMany = verbs.length > maxInRow;
  const urgent = verbs.filter(isUrgent);
  const inRow = !isMany ? verbs : urgent.length > 0 ? urgent : verbs.slice(0, 1);
  return (
    <>
      <span class={`row-actions ${isMany ? "many" : ""}`}>
        {buttons(inRow, "quiet")}
        <Button
          class="quiet more"
          aria-label={`Actions for ${of}`}
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          ⋯
        </Button>
      </span>
      {isOpen && (
        <Dialog title={of} onClose={() => setOpen(false)}>
          <div class="sheet">{buttons(verbs, "")}</div>
        </Dialog>
      )}
    </>
  );
}
