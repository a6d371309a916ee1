/** Form fields with the API's errors at the field. */
import { Button } from "./card.tsx";
import { createContext, type ComponentChildren } from "preact";
import { useContext, useId, useState } from "preact/hooks";
import type { Asked, Problem } from "../problem.ts";
import { ProblemNotice } from "./notice.tsx";

type FaultOf = (name: string) => string | null;
const Faults = createContext<FaultOf>(() => null);

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
export const useFaults = (): FaultOf => useContext(Faults);

interface HintProps {
  id: string;
  fault: string | null;
  hint: ComponentChildren;
}

const Hint = ({ id, fault, hint }: HintProps) => (
  <small id={`${id}-hint`}>
    {fault ? <span class="fault">{fault} </span> : null}
    {hint}
  </small>
);

export function Field(props: FieldProps) {
  const { title, onInput, hint, type = "text", isRequired, path, ...rest } = props;
  const fault = useFaults()(path ?? props.name);
  const id = useId();
  return (
    <div class={`field ${fault ? "wrong" : ""}`}>
      <label for={id}>{title}</label>
      <input
        id={id}
        aria-describedby={`${id}-hint`}
        autocomplete="off"
        autocapitalize="none"
        {...({ type, ...rest } as { type: "text" })}
        required={isRequired === true}
        spellcheck={false}
        aria-invalid={fault ? true : undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <Hint {...{ id, fault, hint }} />
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  title: string;
  name: string;
  value: Value;
  options: readonly (readonly [value: Value, title: string])[];
  onInput: (value: Value) => void;
  hint?: ComponentChildren;
  isRequired?: boolean;
  path?: string;
}

export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { title, name, value, options, onInput, hint, isRequired, path = name } = props;
  const fault = useFaults()(path);
  const id = useId();
  return (
    <div class={`field ${fault ? "wrong" : ""}`}>
      <label for={id}>{title}</label>
      <select
        id={id}
        aria-describedby={`${id}-hint`}
        name={name}
        value={value}
        required={isRequired === true}
        aria-invalid={fault ? true : undefined}
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
      <Hint {...{ id, fault, hint }} />
    </div>
  );
}

interface TextAreaProps extends Omit<FieldProps, "type"> {
  rows: number;
  isCode?: true | undefined;
}

export function TextArea(props: TextAreaProps) {
  const { title, name, value, rows, onInput, hint, isCode, path = name } = props;
  const fault = useFaults()(path);
  const id = useId();
  return (
    <div class={`field ${fault ? "wrong" : ""}`}>
      <label for={id}>{title}</label>
      <textarea
        id={id}
        aria-describedby={`${id}-hint`}
        {...{ name, rows, value }}
        class={isCode === true ? "code-input" : ""}
        spellcheck={isCode !== true}
        aria-invalid={fault ? true : undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <Hint {...{ id, fault, hint }} />
    </div>
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
  children: ComponentChildren;
}

/** Prevents double submission and shows errors at their field. */
export function Form({ submit, isDanger, act, onCancel, reload, children }: FormProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
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
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Faults.Provider value={faultOf}>{children}</Faults.Provider>
      {problem !== null && <ProblemNotice problem={problem} />}
      <div class="buttons">
        {problem?.status === 412 && reload !== undefined && (
          <Button onClick={() => void reload()}>Reload</Button>
        )}
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <button type="submit" class={isDanger === true ? "main danger" : "main"} disabled={isBusy}>
          {submit}
        </button>
      </div>
    </form>
  );
}
