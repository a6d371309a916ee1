/** Fields for limits; empty means unlimited. */
import { commonTitles, limitTitles, otherTitles, type LimitName } from "../limit-titles.ts";
import { given } from "../members.ts";
import { Fields, useFaults, type Editing, type FieldOf } from "./form.tsx";

export type Limits = Partial<Record<LimitName, number>>;

const fieldsOf = (titles: Limits | Partial<Record<LimitName, string>>): FieldOf<Limits>[] =>
  (Object.entries(titles) as [LimitName, string][]).map(([name, title]) => ({
    name,
    title,
    as: "number",
    placeholder: "none",
  }));
const [common, others] = [fieldsOf(commonTitles), fieldsOf(otherTitles)];

interface LimitFieldsProps {
  title?: string;
  /** of the limits in the input */
  path?: string;
  limits: Limits | undefined;
  onInput: (limits: Limits | undefined) => void;
}

export function LimitFields(props: LimitFieldsProps) {
  const { title = "Limits", path = "limits", limits: draft = {}, onInput } = props;
  const faultOf = useFaults();
  const change: Editing<Limits>["change"] = (changes) =>
    onInput(given({ ...draft, ...changes } as Limits));
  const its = { draft, change, path: `${path}.` };
  const isInUse = others.some(({ name }) => name in draft || faultOf(`${path}.${name}`) !== null);
  return (
    <fieldset>
      <legend>{title}</legend>
      <div class="grid">
        <Fields of={common} {...its} />
      </div>
      <details open={isInUse}>
        <summary>Other periods</summary>
        <div class="grid">
          <Fields of={others} {...its} />
        </div>
      </details>
    </fieldset>
  );
}

export const limitText = (limits: Limits = {}): string =>
  (Object.keys(limitTitles) as LimitName[])
    .flatMap((name) => (limits[name] === undefined ? [] : `${limitTitles[name]}: ${limits[name]}`))
    .join(", ");
