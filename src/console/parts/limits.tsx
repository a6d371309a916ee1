/** Fields for limits; empty means unlimited. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { limitTitles, type LimitName } from "../limit-titles.ts";
import { given } from "../members.ts";
import { Fields, useFaults, type Editing, type FieldOf } from "./form.tsx";

export type Limits = Partial<Record<LimitName, number>>;

const fields = (Object.entries(limitTitles) as [LimitName, string][]).map(
  ([name, title]): FieldOf<Limits> => ({ name, title, as: "number", placeholder: "none" }),
);
const isCommon = /^(?:requestsPerMinute|tokensPerMinute|usdPerDay|usdPerMonth|concurrent)$/;
const common = fields.filter(({ name }) => isCommon.test(name));
const others = fields.filter(({ name }) => !isCommon.test(name));

interface FoldedProps {
  title: ComponentChildren;
  isSet: boolean;
  isWrong: boolean;
  children: ComponentChildren;
}

/** Open if something was set at first, or is wrong. It stays open while its fields are cleared. */
export function Folded({ title, isSet, isWrong, children }: FoldedProps) {
  const [wasSet] = useState(isSet);
  return (
    <details open={wasSet || isWrong}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

interface LimitFieldsProps {
  title?: string;
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
  return (
    <fieldset>
      <legend>{title}</legend>
      <div class="grid">
        <Fields of={common} {...its} />
      </div>
      <Folded
        title="Other periods"
        isSet={others.some(({ name }) => name in draft)}
        isWrong={others.some(({ name }) => faultOf(`${path}.${name}`) !== null)}
      >
        <div class="grid">
          <Fields of={others} {...its} />
        </div>
      </Folded>
    </fieldset>
  );
}

export const limitText = (limits: Limits = {}): string =>
  (Object.entries(limits) as [LimitName, number][])
    .map(([name, limit]) => `${limitTitles[name]}: ${limit}`)
    .join(", ");
