/** Fields for limits; empty means unlimited. */
import { commonTitles, limitTitles, otherTitles, type LimitName } from "../limit-titles.ts";
import { Field } from "./form.tsx";

export { limitTitles, type LimitName };

export type Limits = Partial<Record<LimitName, number>>;
export type LimitTexts = Partial<Record<LimitName, string>>;

const names = Object.keys(limitTitles) as LimitName[];

export const textsOf = (limits: Limits | undefined): LimitTexts =>
  Object.fromEntries(names.map((name) => [name, limits?.[name]?.toString() ?? ""]));

export const limitsOf = (texts: LimitTexts): Limits =>
  Object.fromEntries(
    names.flatMap((name) => (texts[name] ? [[name, Number(texts[name])] as const] : [])),
  );

/** A merge patch: empty fields are removed. */
export const limitsPatchOf = (texts: LimitTexts): Record<LimitName, number | null> =>
  Object.fromEntries(
    names.map((name) => [name, texts[name] ? Number(texts[name]) : null]),
  ) as Record<LimitName, number | null>;

interface LimitFieldsProps {
  title?: string;
  /** of the limits in the input */
  path?: string;
  texts: LimitTexts;
  onInput: (texts: LimitTexts) => void;
  faultOf: (name: string) => string | null;
}

export function LimitFields(props: LimitFieldsProps) {
  const { title = "Limits", path = "limits", texts, onInput, faultOf } = props;
  const fieldOf = (name: LimitName) => (
    <Field
      key={name}
      title={limitTitles[name]}
      name={`${path}.${name}`}
      type="number"
      min={0}
      step={name.startsWith("usd") ? "any" : "1"}
      placeholder="none"
      value={texts[name] ?? ""}
      onInput={(value) => onInput({ ...texts, [name]: value })}
      fault={faultOf(`${path}.${name}`)}
    />
  );
  const others = Object.keys(otherTitles) as LimitName[];
  const isInUse = others.some((name) => texts[name] || faultOf(`${path}.${name}`) !== null);
  return (
    <fieldset>
      <legend>{title}</legend>
      <div class="grid">{(Object.keys(commonTitles) as LimitName[]).map(fieldOf)}</div>
      <details open={isInUse}>
        <summary>Other periods</summary>
        <div class="grid">{others.map(fieldOf)}</div>
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
