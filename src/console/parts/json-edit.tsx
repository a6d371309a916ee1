import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { invalid, type Asked } from "../problem.ts";
import { useUnsaved } from "./dialog.tsx";
import { Field, Form } from "./form.tsx";

const notJson = invalid({ title: "Not JSON", detail: "Enter a valid JSON object." });

function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

interface JsonEditProps {
  value: object;
  submit: string;
  put: (value: object) => Promise<Asked<unknown>>;
  hint: string;
  draft?: object;
  onUnsaved?: (isUnsaved: boolean) => void;
  beside?: (valueOf: () => object | null) => ComponentChildren;
}

export function JsonEdit(props: JsonEditProps) {
  const { value, submit, put, hint, draft = value, onUnsaved, beside } = props;
  const [text, setText] = useState(JSON.stringify(draft, null, 2));
  const isUnsaved = text !== JSON.stringify(value, null, 2);
  const question = useUnsaved(isUnsaved);
  useEffect(() => onUnsaved?.(isUnsaved), [isUnsaved]);
  const act = async (): Promise<Asked<unknown>> => {
    const given = parsed(text);
    return given === null ? notJson : put(given);
  };
  return (
    <>
      <Form submit={submit} act={act}>
        <Field
          title="JSON"
          name="json"
          rows={14}
          isCode
          value={text}
          onInput={setText}
          hint={hint}
        />
      </Form>
      {beside?.(() => parsed(text))}
      {question}
    </>
  );
}
