import { Fragment, type ComponentChildren, type JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { roleMay, roles, type Permission } from "../../domain/tenancy/scopes.ts";
import type { Loaded, Loading } from "../load.ts";
import { adviceFor, type Problem } from "../problem.ts";
import { may, session } from "../session.ts";

/** Doesn't submit a form. */
export const Button = (props: JSX.IntrinsicElements["button"]) => (
  <button type="button" {...props} />
);

type CardProps = JSX.IntrinsicElements["section"] & { title: string; isStack?: true };

export const Card = ({ title, isStack, children, ...rest }: CardProps) => (
  <section class={isStack === true ? "card stack" : "card"} {...rest}>
    <h2>{title}</h2>
    {children}
  </section>
);

/** `false`: left out */
export type Fact = readonly [title: string, value: ComponentChildren] | false;

export const Facts = ({ of }: { of: readonly Fact[] }) => (
  <dl class="facts">
    {of.map(
      (fact) =>
        fact && (
          <Fragment key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </Fragment>
        ),
    )}
  </dl>
);

interface PageProps {
  title: string;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** Screen readers start at the title after navigation. */
let isFirst = true;

export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the page can be seen, so that the title never takes the focus from a field.
  useLayoutEffect(() => {
    document.title = `${title} · Sampling Router`;
    // On the first page, the skip link comes first.
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
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

export function ProblemNotice({ problem, again }: { problem: Problem; again?: () => unknown }) {
  const advice = adviceFor(problem);
  const isFinal = problem.status === 403 || problem.status === 404;
  return (
    <div class="notice bad" role="alert">
      <strong>{problem.reason === "invalid_params" ? "Check your input" : problem.title}</strong>
      <p>
        {problem.path !== undefined && <code>{problem.path}: </code>}
        {problem.detail}
      </p>
      {advice !== null && <p>{advice}</p>}
      {problem.requestId !== undefined && !isFinal && (
        <p class="faint">
          Request <code>{problem.requestId}</code>
        </p>
      )}
      {again !== undefined && !isFinal && <Button onClick={() => void again()}>Try again</Button>}
    </div>
  );
}

export const Waiting = ({ what }: { what: string }) => (
  <p class="waiting" role="status">
    Loading {what}…
  </p>
);

interface ThereProps<T> {
  what: string;
  loading: Loading<T>;
  children: (value: T, loaded: Extract<Loaded<T>, { state: "there" }>) => ComponentChildren;
}

export function There<T>({ what, loading: { loaded, again }, children }: ThereProps<T>) {
  if (loaded.state === "loading") return <Waiting what={what} />;
  if (loaded.state === "failed") return <ProblemNotice problem={loaded.problem} again={again} />;
  return (
    <>
      {loaded.stale !== undefined && (
        <p class="notice warn" role="status">
          Showing older data: {what} could not be refreshed. {loaded.stale.title}
        </p>
      )}
      {children(loaded.value, loaded)}
    </>
  );
}

const tones = {
  good: /^(succeeded|active|approved|yes)$/,
  warn: /^(refused|unknown|preview|expired|pending approval)$/,
  bad: /^(failed|failing|not approved|revoked)$/,
  busy: /^running$/,
};
const toneOf = (word: string): string =>
  Object.entries(tones).find(([, words]) => words.test(word))?.[0] ?? "";

/** The color is redundant. */
export const Badge = ({ word, tone = toneOf(word) }: { word: string; tone?: string }) => (
  <span class={`badge ${tone}`}>{word}</span>
);

interface PickProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, title: string])[];
  onPick: (value: string) => void;
}

/** A row of buttons, one of which is pressed. */
export const Pick = ({ label, value, options, onPick }: PickProps) => (
  <span class="choices" role="group" aria-label={label}>
    {options.map(([each, title]) => (
      <Button key={each} class="quiet" aria-pressed={each === value} onClick={() => onPick(each)}>
        {title}
      </Button>
    ))}
  </span>
);

type FiltersProps = { isSet: boolean; want: () => void; children: ComponentChildren };

/** Phones start with them folded. A filter that is removed doesn't fold them again. @param props.want before they are used */
export function FoldedFilters({ isSet, want, children }: FiltersProps) {
  const isOpen = useRef(matchMedia("(width > 40rem)").matches);
  isOpen.current ||= isSet;
  return (
    <div role="search" aria-label="Filters" onPointerEnter={want} onFocusIn={want}>
      <details class="folds" open={isOpen.current}>
        <summary>Filters</summary>
        <div class="filters">{children}</div>
      </details>
    </div>
  );
}

type ForRoleProps = { without: string; permission?: Permission; children?: ComponentChildren };

/** For roles that may do it; others read what their role can't do, and which one can. */
export const ForRole = ({ without, permission = "change", children }: ForRoleProps) =>
  may(permission) ? (
    <>{children}</>
  ) : (
    <p class="faint">
      Your role, {session.value?.actor.role}, {without}. A key with the role{" "}
      {roles.filter((role) => roleMay(role, permission)).join(" or ")} does.
    </p>
  );
