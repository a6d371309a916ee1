/** Forms and their fields, with the API's errors at the field. */
import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { mergePatchOf } from "../../domain/merge-patch.ts";
import { localText, millisOf } from "../format.ts";
import { valueAt, withValueAt } from "../members.ts";
import type { Asked, Problem } from "../problem.ts";
import { Button, ProblemNotice } from "./page.tsx";

type FaultOf = (name: string) => string | null;
const Shown = createContext({
  faultOf: (_name: string): string | null => null,
  report: (_problem: Problem | null): void => undefined,
});
/** The API's error at a path of the request. */
export const useFaults = (): FaultOf => useContext(Shown).faultOf;
/** Shows the problem of another action like one of the form's own. */
export const useReport = () => useContext(Shown).report;

export interface Editing<Draft> {
  draft: Draft;
  change: (changes: { [Name in keyof Draft]?: Draft[Name] | undefined }) => void;
}

export function useDraft<Draft extends object>(initial: Draft): Editing<Draft> {
  const [draft, set] = useState(initial);
  return { draft, change: (changes) => set((before) => ({ ...before, ...changes })) };
}

/** A draft of what the API returned, and the merge patch for what was changed in it. */
export function useEdited<Value extends object>(value: Value) {
  const editing = useDraft(value);
  return { ...editing, patch: mergePatchOf(value, editing.draft) as Partial<Value> };
}

type Option<Value> = readonly [value: Value, title: string, group?: string];

export interface FieldProps<Value extends string = string> {
  title: string;
  name: string;
  value: Value;
  onInput: (value: Value) => void;
  hint?: ComponentChildren;
  type?: "text" | "password" | "number" | "datetime-local" | "url" | "date";
  options?: readonly Option<Value>[] | undefined;
  /** of a text area */
  rows?: number | undefined;
  isCode?: true | undefined;
  isRequired?: boolean;
  pattern?: string;
  min?: number | string | undefined;
  max?: string | undefined;
  placeholder?: string;
  /** of a text whose syntax the API checks, with all others */
  inputmode?: "url";
  /** suggestions for a text */
  list?: readonly string[];
  autocomplete?: string;
  /** why the value can't be submitted */
  refused?: string | undefined;
  /** of the API's member, `name` by default */
  path?: string;
}

const optionsOf = (options: readonly Option<string>[]) =>
  options.map(([value, title]) => (
    <option key={value} value={value}>
      {title}
    </option>
  ));

/** A select if there are `options`, a text area if there are `rows`. */
export function Field<Value extends string>(props: FieldProps<Value>) {
  const { title, onInput, hint, options, rows, isCode, isRequired, refused, path, list, ...rest } =
    props;
  const fault = useFaults()(path ?? rest.name);
  const id = useId();
  const its = {
    id,
    name: rest.name,
    value: rest.value,
    required: isRequired === true,
    "aria-describedby": `${id}-hint`,
    "aria-invalid": fault ? true : undefined,
    onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onInput(value as Value),
  } as const;
  return (
    <div class={`field ${fault ? "wrong" : ""}`}>
      <label for={id}>{title}</label>
      {options !== undefined ? (
        <select {...its}>
          {[...Map.groupBy(options, ([, , group]) => group)].map(([group, of]) =>
            group === undefined ? (
              optionsOf(of)
            ) : (
              <optgroup key={group} label={group}>
                {optionsOf(of)}
              </optgroup>
            ),
          )}
        </select>
      ) : rows !== undefined ? (
        <textarea {...its} {...{ rows }} class={isCode && "code-input"} spellcheck={!isCode} />
      ) : (
        <input
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          ref={(input) => input?.setCustomValidity(refused ?? "")}
          list={list && `${id}-list`}
          {...({ ...rest, ...its } as { type: "text" })}
        />
      )}
      {list && <datalist id={`${id}-list`}>{optionsOf(list.map((each) => [each, each]))}</datalist>}
      <small id={`${id}-hint`}>{fault ? <span class="fault">{fault}</span> : hint}</small>
    </div>
  );
}

type CheckProps = Pick<FieldProps, "title" | "name"> & {
  value: boolean;
  onInput: (value: boolean) => void;
};

export const Check = ({ title, name, value, onInput }: CheckProps) => (
  <label class="check">
    <input
      type="checkbox"
      name={name}
      checked={value}
      onChange={({ currentTarget }) => onInput(currentTarget.checked)}
    />
    <span>{title}</span>
  </label>
);

function itemsIn(text: string, separator: string): string[] | undefined {
  const items = text.split(separator).flatMap((each) => each.trim() || []);
  return items.length === 0 ? undefined : items;
}

/** How the field of a member shows it as text and reads the text. Blank texts are missing members. */
export type Kind = readonly [textOf: (value: never) => string, read: (text: string) => unknown];
const kinds = {
  number: [String, Number],
  /** in ms since the epoch, in the reader's zone */
  moment: [(value: number) => localText(value), millisOf],
  numbers: [
    (items: number[]) => items.join(", "),
    (text: string) => itemsIn(text, ",")?.map(Number),
  ],
  list: [(items: string[]) => items.join(", "), (text: string) => itemsIn(text, ",")],
  lines: [(items: string[]) => items.join("\n"), (text: string) => itemsIn(text, "\n")],
} as const satisfies Record<string, Kind>;
const inputTypes: Readonly<Record<string, FieldProps["type"]>> = {
  number: "number",
  moment: "datetime-local",
};

export interface FieldOf<Draft> extends Omit<FieldProps, "name" | "value" | "onInput"> {
  /** of the draft's member, or its path in the draft: `approval.when.tools` */
  name: (keyof Draft & string) | `${keyof Draft & string}.${string}`;
  /** `text` by default, and a checkbox for a boolean */
  as?: keyof typeof kinds | "check" | Kind;
  /** the shown text of a missing member */
  byDefault?: string;
}

type MemberProps = Omit<FieldOf<never>, "name"> & {
  name: string;
  value: unknown;
  onInput: (value: unknown) => void;
};

function Member({ as, value, onInput, byDefault = "", ...its }: MemberProps) {
  // What was typed stays while it has the same meaning, for example "0.50".
  const [typed, setTyped] = useState("");
  if (as === "check" || typeof value === "boolean")
    return <Check {...its} value={value === true} onInput={onInput} />;
  if (as === undefined)
    return (
      <Field {...its} value={typeof value === "string" ? value : byDefault} onInput={onInput} />
    );
  const type = typeof as === "string" && inputTypes[as];
  const [textOf, read]: Kind = typeof as === "string" ? kinds[as] : as;
  const valueOf = (text: string) => (text === "" ? undefined : read(text));
  const isSame = JSON.stringify(valueOf(typed)) === JSON.stringify(value ?? undefined);
  return (
    <Field
      {...its}
      {...(type && { type, step: "any" })}
      value={isSame ? typed : textOf(value as never)}
      onInput={(text) => {
        setTyped(text);
        onInput(valueOf(text));
      }}
    />
  );
}

type FieldsProps<Draft> = Editing<Draft> & {
  of: readonly FieldOf<Draft>[];
  /** of the draft in the request, with a dot at its end */
  path?: string;
};

/** Fields of a draft, each named like its member. */
export const Fields = <Draft extends object>(props: FieldsProps<Draft>) => (
  <>
    {props.of.map(({ name, ...its }) => (
      <Member
        key={name}
        {...its}
        name={`${props.path ?? ""}${name}`}
        value={valueAt(props.draft, name)}
        onInput={(value) => {
          const [top = ""] = name.split(".");
          const changed = withValueAt(props.draft, name, value);
          props.change({ [top]: valueAt(changed, top) } as Partial<Draft>);
        }}
      />
    ))}
  </>
);

export interface FormProps<Value> {
  submit: string;
  isDanger?: true;
  act: () => Promise<Asked<Value>>;
  onDone?: ((value: Value) => void) | undefined;
  onCancel?: (() => void) | undefined;
  reload?: () => unknown;
  /** after the button */
  beside?: ComponentChildren;
  children?: ComponentChildren;
}

/** Prevents double submission and shows errors at their field, or else below. */
export function Form<Value>(props: FormProps<Value>) {
  const { submit, isDanger, act, onDone, onCancel, reload, beside, children } = props;
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const [unplaced, setUnplaced] = useState<Problem | null>(null);
  useEffect(() => {
    const wrong = form.current?.querySelector<HTMLElement>("[aria-invalid]");
    wrong?.focus();
    // Within closed details, a field can't have the focus.
    if (wrong?.matches(":focus") !== true) setUnplaced(problem);
  }, [problem]);
  const send = async (): Promise<void> => {
    setBusy(true);
    const done = await act();
    setBusy(false);
    setProblem(done.ok ? null : done.problem);
    if (done.ok) onDone?.(done.value);
  };
  const faultOf: FaultOf = (name) =>
    [problem ?? [], problem?.others ?? []]
      .flat()
      .find(({ path }) => path === name || path?.startsWith(`${name}.`))?.detail ?? null;
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        // A question may be within another form.
        event.stopPropagation();
        void send();
      }}
    >
      <Shown.Provider value={{ faultOf, report: setProblem }}>{children}</Shown.Provider>
      <div class="form-end">
        {problem !== null && (problem.path === undefined || problem === unplaced) && (
          <ProblemNotice problem={problem} />
        )}
        <div class="buttons">
          {problem?.status === 412 && reload !== undefined && (
            <Button onClick={() => void reload()}>Reload</Button>
          )}
          {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
          <button type="submit" class={isDanger ? "main danger" : "main"} disabled={isBusy}>
            {submit}
          </button>
          {beside}
        </div>
      </div>
    </form>
  );
}
