/** Form fields with the API's errors at the field. */
import { Button } from "./card.tsx";
import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import type { Asked, Problem } from "../problem.ts";
import { ProblemNotice } from "./notice.tsx";

type FaultOf = (name: string) => string | null;
const Shown = createContext({
  faultOf: (_name: string): string | null => null,
  report: (_problem: Problem | null): void => undefined,
});

export function useDraft<Draft extends object>(initial: Draft) {
  const [draft, set] = useState(initial);
  const change = (changes: Partial<Draft>): void => set((before) => ({ ...before, ...changes }));
  return { draft, change };
}

export interface FieldProps {
  title: string;
  name: string;
  value: string;
  onInput: (value: string) => void;
  hint?: ComponentChildren;
  type?: "text" | "password" | "number" | "datetime-local" | "url" | "date";
  isRequired?: boolean;
  pattern?: string;
  min?: number | string | undefined;
  max?: string | undefined;
  step?: string;
  placeholder?: string;
  list?: string;
  autocomplete?: string;
  /** of the API's member, `name` by default */
  path?: string;
}

/** The API's error at a path of the request. */
export const useFaults = (): FaultOf => useContext(Shown).faultOf;
/** Shows the problem of another action like one of the form's own. */
export const useReport = () => useContext(Shown).report;

interface LabelledProps extends Pick<FieldProps, "title" | "name" | "hint" | "path"> {
  children: (its: {
    id: string;
    name: string;
    "aria-describedby": string;
    "aria-invalid": true | undefined;
  }) => ComponentChildren;
}

function Labelled({ title, name, path = name, hint, children }: LabelledProps) {
  const fault = useFaults()(path);
  const id = useId();
  const [hintId, isWrong] = [`${id}-hint`, fault ? true : undefined] as const;
  return (
    <div class={`field ${fault ? "wrong" : ""}`}>
      <label for={id}>{title}</label>
      {children({ id, name, "aria-describedby": hintId, "aria-invalid": isWrong })}
      <small id={hintId}>{fault ? <span class="fault">{fault}</span> : hint}</small>
    </div>
  );
}

export function Field(props: FieldProps) {
  const { title: _2, onInput, hint: _, type = "text", isRequired, path: _1, ...rest } = props;
  return (
    <Labelled {...props}>
      {(its) => (
        <input
          autocomplete="off"
          autocapitalize="none"
          {...({ type, ...rest, ...its } as { type: "text" })}
          required={isRequired === true}
          spellcheck={false}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

interface ChoiceProps<Value extends string> extends Omit<LabelledProps, "children"> {
  value: Value;
  options: readonly (readonly [value: Value, title: string])[];
  onInput: (value: Value) => void;
  isRequired?: boolean;
}

export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { value, options, onInput, isRequired } = props;
  return (
    <Labelled {...props}>
      {(its) => (
        <select
          {...its}
          value={value}
          required={isRequired === true}
          onChange={({ currentTarget }) => {
            const [chosen] = options.find(([each]) => each === currentTarget.value) ?? [];
            if (chosen !== undefined) onInput(chosen);
          }}
        >
          {options.map(([each, shown]) => (
            <option key={each} value={each}>
              {shown}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

interface TextAreaProps extends Omit<FieldProps, "type"> {
  rows: number;
  isCode?: true | undefined;
}

export function TextArea(props: TextAreaProps) {
  const { value, rows, onInput, isCode } = props;
  return (
    <Labelled {...props}>
      {(its) => (
        <textarea
          {...its}
          {...{ rows, value }}
          class={isCode === true ? "code-input" : ""}
          spellcheck={isCode !== true}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

export function Check(props: {
  title: string;
  name: string;
  value: boolean;
  onInput: (value: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={props.name}
        checked={props.value}
        onChange={({ currentTarget }) => props.onInput(currentTarget.checked)}
      />
      <span>{props.title}</span>
    </label>
  );
}

interface FormProps {
  submit: string;
  isDanger?: true;
  act: () => Promise<Asked<unknown>>;
  onCancel?: () => void;
  reload?: () => unknown;
  /** after the button */
  beside?: ComponentChildren;
  children?: ComponentChildren;
}

/** Prevents double submission and shows errors at their field, or else below. */
export function Form({ submit, isDanger, act, onCancel, reload, beside, children }: FormProps) {
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
  };
  const faultOf: FaultOf = (name) =>
    problem?.path === name || problem?.path?.startsWith(`${name}.`) ? problem.detail : null;
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
          <button
            type="submit"
            class={isDanger === true ? "main danger" : "main"}
            disabled={isBusy}
          >
            {submit}
          </button>
          {beside}
        </div>
      </div>
    </form>
  );
}
