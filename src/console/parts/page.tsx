/** The head of a page: its title, what it is for, and what can be done on it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface PageProps {
  title: string;
  /** one sentence */
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A screen reader begins at the title after each step to another page. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Sampling Router`;
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}
