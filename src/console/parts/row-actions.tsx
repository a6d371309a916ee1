import { useId } from "preact/hooks";
import { Button } from "./page.tsx";

interface RowActionsProps<Verb extends string> {
  /** the row's name */
  of: string;
  verbs: readonly Verb[];
  act: (verb: Verb) => void;
}

export const isFinal = (verb: string): boolean => /^(Delete|Deny|End|Erase|Revoke)/.test(verb);
const maxInRow = 3;

/** Deletions and what leaves no room are in a menu, without what helps against a leaked key. */
export function RowActions<Verb extends string>({ of, verbs, act }: RowActionsProps<Verb>) {
  const id = useId();
  if (verbs.length === 0) return null;
  const kept = verbs.filter((verb) => !/^(Delete|Erase)/.test(verb));
  const urgent = kept.filter((verb) => verb === "Rotate" || verb === "Revoke");
  const inRow = kept.length > maxInRow ? [...urgent, ...kept].slice(0, urgent.length || 1) : kept;
  const isMany = inRow.length < verbs.length;
  const button = (verb: Verb, size: string) => (
    <Button
      key={verb}
      class={`${size} ${isFinal(verb) ? "danger" : ""}`}
      aria-label={`${verb} ${of}`}
      popovertarget={isMany ? id : undefined}
      popovertargetaction="hide"
      onClick={() => act(verb)}
    >
      {verb}
    </Button>
  );
  return (
    <span class="row-actions">
      {inRow.map((verb) => button(verb, "quiet"))}
      {isMany && (
        <>
          <Button class="quiet" aria-label={`Actions for ${of}`} popovertarget={id}>
            ⋯
          </Button>
          <div popover="auto" id={id} class="menu">
            {verbs.map((verb) => !inRow.includes(verb) && button(verb, ""))}
          </div>
        </>
      )}
    </span>
  );
}
