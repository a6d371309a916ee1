/** Selects by name, or by id for unlisted values. */
import { useState } from "preact/hooks";
import { Choice, Field, type FieldProps } from "./form.tsx";
import type { Names } from "./named.tsx";

type NamedChoiceProps = FieldProps & { names: Names };

/** Not a valid id or slug. */
const another = "*";

/** Equal names are distinguished by the end of their ids. */
function optionsOf(names: Names): (readonly [value: string, title: string])[] {
  const all = Object.values(names);
  const isTwice = (name: string): boolean => all.indexOf(name) !== all.lastIndexOf(name);
  return Object.entries(names)
    .map(([id, name]) => [id, isTwice(name) ? `${name} (…${id.slice(-6)})` : name] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other));
}

export function NamedChoice({ names, hint, ...its }: NamedChoiceProps) {
  const { title, name, value, onInput, path = name } = its;
  const [isOther, setOther] = useState(false);
  const isWritten = isOther || (value !== "" && names[value] === undefined);
  return (
    <>
      <Choice
        {...its}
        value={isWritten ? another : value}
        options={[["", "choose one"], ...optionsOf(names), [another, "another one"]]}
        onInput={(chosen) => {
          setOther(chosen === another);
          onInput(chosen === another ? "" : chosen);
        }}
        path={isWritten ? another : path}
      />
      {isWritten && <Field {...its} title={`${title}: another one`} hint={hint} />}
    </>
  );
}
