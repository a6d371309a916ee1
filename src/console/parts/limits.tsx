/** Fields for limits; empty means unlimited. */
import { commonTitles, limitTitles, otherTitles, type LimitName } from "../limit-titles.ts";
import { Fields, useFaults, type FieldOf } from "./form.tsx";

export { limitTitles, type LimitName };

export type Limits = Partial<Record<LimitName, number>>;
export type LimitTexts = Record<LimitName, string>;

const names = Object.keys(limitTitles) as LimitName[];

export const textsOf = (limits: Limits | undefined): LimitTexts =>
  Object.fromEntries(names.map((name) => [name, limits?.[name]?.toString() ?? ""])) as LimitTexts;

/** A merge patch: empty fields are removed. */
export const limitsPatchOf = (texts: LimitTexts): Record<LimitName, number | null> =>
  Object.fromEntries(
    names.map((name) => [name, texts[name] ? Number(texts[name]) : null]),
  ) as Record<LimitName, number | null>;

export const limitsOf = (texts: LimitTexts): Limits =>
  Object.fromEntries(Object.entries(limitsPatchOf(texts)).filter(([, limit]) => limit !== null));

interface LimitFieldsProps {
  title?: string;
  /** of the limits in the input */
  path?: string;
  texts: LimitTexts;
  onInput: (texts: LimitTexts) => void;
}

const fieldsOf = (titles: Partial<Record<LimitName, string>>): FieldOf<LimitTexts>[] =>
  Object.entries(titles).map(([name, title]) => ({
    name: name as LimitName,
    title,
    type: "number",
    min: 0,
    step: name.startsWith("usd") ? "any" : "1",
    placeholder: "none",
  }));
const [common, others] = [fieldsOf(commonTitles), fieldsOf(otherTitles)];

export function LimitFields(props: LimitFieldsProps) {
  const { title = "Limits", path = "limits", texts, onInput } = props;
  const faultOf = useFaults();
  const change = (changes: Partial<LimitTexts>): void => onInput({ ...texts, ...changes });
  const its = { draft: texts, change, path: `${path}.` };
  const isInUse = others.some(
    ({ name }) => texts[name as LimitName] || faultOf(`${path}.${name}`) !== null,
  );
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

export const limitText = (limits: Limits | undefined): string =>
  names
    .flatMap((name) =>
      limits?.[name] === undefined ? [] : [`${limitTitles[name]}: ${limits[name]}`],
    )
    .join(", ");
