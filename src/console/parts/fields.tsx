/** Fields of a draft from a list, each named like the draft's member. */
import type { ComponentChildren } from "preact";
import { Check, Choice, Field, TextArea, type FieldProps } from "./form.tsx";

type Texts<Draft> = {
  [Name in keyof Draft]: Draft[Name] extends string | boolean ? Name : never;
}[keyof Draft] &
  string;

export interface FieldOf<Draft> extends Omit<FieldProps, "name" | "value" | "onInput" | "title"> {
  name: Texts<Draft>;
  title: string;
  options?: readonly (readonly [value: string, title: string])[];
  /** of a text area */
  rows?: number;
  isCode?: true;
}

export interface Editing<Draft> {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
}

interface FieldsProps<Draft> extends Editing<Draft> {
  of: readonly FieldOf<Draft>[];
  /** of the members in the input, with a dot at its end */
  path?: string;
}

export function Fields<Draft extends object>(props: FieldsProps<Draft>) {
  const { draft, change, path = "" } = props;
  const fieldOf = ({ name, options, rows, isCode, ...spec }: FieldOf<Draft>): ComponentChildren => {
    const value: unknown = draft[name];
    const onInput = (given: string | boolean): void =>
      change({ [name]: given } as unknown as Partial<Draft>);
    const its = { ...spec, name: `${path}${name}`, onInput };
    if (typeof value === "boolean") return <Check key={name} {...its} value={value} />;
    const text = String(value);
    if (options !== undefined) return <Choice key={name} {...its} {...{ options }} value={text} />;
    return rows === undefined ? (
      <Field key={name} {...its} value={text} />
    ) : (
      <TextArea key={name} {...its} {...{ rows, isCode }} value={text} />
    );
  };
  return <>{props.of.map(fieldOf)}</>;
}
