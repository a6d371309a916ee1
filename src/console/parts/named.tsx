import { useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { useLoaded, valueIn } from "../load.ts";
import { ok } from "../problem.ts";
import { Field, type FieldProps } from "./form.tsx";
import { tenantNow } from "./stopped.tsx";

export type Names = Readonly<Record<string, string>>;

/** People of the operator’s identity provider have no name here, and others may be deleted. */
export function Named({ id, names }: { id: string; names: Names }) {
  const name = names[id] ?? /^person:(.+)/.exec(id)?.[1];
  const shown = id.replace(/^[a-z]+_\w*(?=\w{6}$)/, "…");
  return name === undefined ? <code title={id}>{shown}</code> : <span title={id}>{name}</span>;
}

/** Empty if the role may not read a list. */
export async function namesIn(
  isShown: (key: Schemas["Key"]) => boolean = () => true,
): Promise<Names> {
  const [keys, servers, users] = await Promise.all([
    api.GET("/admin/v1/tenants/{tenant}/keys", { limit: 200 }),
    api.GET("/admin/v1/tenants/{tenant}/servers", { limit: 200 }),
    api.GET("/admin/v1/tenants/{tenant}/users", { limit: 200 }),
  ]);
  const people = Object.fromEntries(
    users.ok ? users.value.data.map(({ id, name }) => [id, name ?? id]) : [],
  ) as Names;
  // A person's sign-in names its key after the person's id.
  const nameOf = ({ name, userId }: Schemas["Key"]): string => {
    const person = name.startsWith("Signs in (usr_") && people[userId ?? ""];
    return person ? `${person}’s sign-in` : name;
  };
  return Object.fromEntries([
    ...(keys.ok ? keys.value.data.filter(isShown).map((key) => [key.id, nameOf(key)]) : []),
    ...(servers.ok ? servers.value.data.map(({ id, slug }) => [id, slug]) : []),
    ...Object.entries(people),
  ]) as Names;
}

const kinds: Names = { key: "key", srv: "server", usr: "person" };

export function useSubjectNames(isWanted = true): Names {
  const loading = useLoaded(`names of subjects ${isWanted}`, async () =>
    ok(isWanted ? await namesIn(({ revokedAt }) => revokedAt === null) : {}),
  );
  return Object.fromEntries([
    [tenantNow.value?.id, "the whole tenant"],
    ...Object.entries(valueIn(loading) ?? {}).map(([id, name]) => [
      id.startsWith("usr_") ? `user:${id}` : id,
      `${kinds[id.slice(0, 3)]} ${name}`,
    ]),
  ]) as Names;
}

type OpenChoiceProps = FieldProps & {
  options: NonNullable<FieldProps["options"]>;
  /** the option for a value that isn't listed, which is then written in a field of its own */
  another: string;
  written: Pick<FieldProps, "title" | "hint">;
};

/** Not a valid id, slug, or name. */
const unlisted = "*";

/** A choice whose value may also be another one. */
export function OpenChoice({ another, written, options, ...its }: OpenChoiceProps) {
  const { name, value, onInput, path = name } = its;
  const [isOther, setOther] = useState(false);
  const isWritten = isOther || options.every(([each]) => each !== value);
  return (
    <>
      <Field
        {...its}
        value={isWritten ? unlisted : value}
        options={[...options, [unlisted, another]]}
        onInput={(chosen) => {
          setOther(chosen === unlisted);
          onInput(chosen === unlisted ? "" : chosen);
        }}
        path={isWritten ? unlisted : path}
      />
      {isWritten && <Field {...its} {...written} />}
    </>
  );
}

/** Equal names are distinguished by the end of their ids. */
function optionsOf(names: Names): (readonly [value: string, title: string])[] {
  const all = Object.values(names);
  const isTwice = (name: string): boolean => all.indexOf(name) !== all.lastIndexOf(name);
  return Object.entries(names)
    .map(([id, name]) => [id, isTwice(name) ? `${name} (…${id.slice(-6)})` : name] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other));
}

/** Selects by name, or by id for unlisted values. */
export const NamedChoice = ({ names, hint, ...its }: FieldProps & { names: Names }) => (
  <OpenChoice
    {...its}
    options={[["", "choose one"], ...optionsOf(names)]}
    another="another one"
    written={{ title: `${its.title}: another one`, hint }}
  />
);
