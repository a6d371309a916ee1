/** Selects by name, or by id for unlisted values. */
import { useState } from "preact/hooks";
import { Choice, Field } from "./form.tsx";
import type { Names } from "./named.tsx";

interface NamedChoiceProps {
  title: string;
  name: string;
  value: string;
  onInput: (value: string) => void;
  names: Names;
  hint: string;
  isRequired?: boolean;
  path?: string;
}

/** Not a valid id or slug. */
const another = "*";

/** Equal names are distinguished by the end of their ids. */
function optionsOf(names: Names): (readonly [value: string, title: string])[] {
  const seen = new Map<string, number>();
  for (const name of Object.values(names)) seen.set(name, (seen.get(name) ?? 0) + 1);
  return Object.entries(names)
    .map(
      ([id, name]) =>
        [id, (seen.get(name) ?? 0) > 1 ? `${name} (…${id.slice(-6)})` : name] as const,
    )
    .toSorted(([, one], [, other]) => one.localeCompare(other));
}

export function NamedChoice(props: NamedChoiceProps) {
  const { title, name, value, onInput, names, hint, isRequired = false, path = name } = props;
  const [isOther, setOther] = useState(false);
  const isWritten = isOther || (value !== "" && names[value] === undefined);
  const options = [["", "choose one"], ...optionsOf(names), [another, "another one"]] as const;
  return (
    <>
      <Choice
        title={title}
        name={name}
        value={isWritten ? another : value}
        options={options}
        onInput={(chosen) => {
          setOther(chosen === another);
          onInput(chosen === another ? "" : chosen);
        }}
        isRequired={isRequired}
        path={isWritten ? another : path}
      />
      {isWritten && (
        <Field
          title={`${title}: another one`}
          name={name}
          value={value}
          onInput={onInput}
          isRequired={isRequired}
          hint={hint}
          path={path}
        />
      )}
    </>
  );
}
