/** Parts of a long form. Closed ones say what is set. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useFaults } from "./form.tsx";

export interface SectionsProps {
  of: readonly {
    id: string;
    title: string;
    /** what is set */
    said: string;
    /** of its members in the API, whose errors open it */
    paths: readonly string[];
    fields: ComponentChildren;
  }[];
  opened: readonly string[];
  setOpened: (opened: readonly string[]) => void;
}

export function Sections({ of, opened, setOpened }: SectionsProps) {
  const faultOf = useFaults();
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), []);
  const toggle = (id: string, isOpen: boolean): void => {
    const others = opened.filter((each) => each !== id);
    if (opened.includes(id) !== isOpen) setOpened(isOpen ? [...others, id] : others);
  };
  return (
    <div class="sections stack">
      {of.map(({ id, title, said, paths, fields }) => {
        const isOpen = opened.includes(id) || paths.some((path) => faultOf(path) !== null);
        return (
          <details
            key={id}
            id={id}
            class="card"
            open={isOpen}
            onToggle={({ currentTarget }) => toggle(id, currentTarget.open)}
          >
            <summary>
              <h2>{title}</h2> <small>{said}</small>
            </summary>
            {isOpen && <div class="stack">{fields}</div>}
          </details>
        );
      })}
    </div>
  );
}
