import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { parsedJson, isObject } from "../../domain/json.ts";
import { invalid, type Asked } from "../problem.ts";
import { useUnsaved } from "./dialog.tsx";
import { Field, Form } from "./form.tsx";

const notJson = invalid({ title: "Not JSON", detail: "Enter a valid JSON object." });

function objectIn(text: string): object | null {
  const value = parsedJson(text);
  return isObject(value) ? value : null;
}

interface JsonEditProps<Value> {
  value: object;
  submit: string;
  put: (value: object) => Promise<Asked<Value>>;
  onDone: (saved: Value) => void;
  hint: string;
  draft?: object;
  onUnsaved?: (isUnsaved: boolean) => void;
  beside?: (valueOf: () => object | null) => ComponentChildren;
}

export function JsonEdit<Value>(props: JsonEditProps<Value>) {
  const { value, submit, put, onDone, hint, draft = value, onUnsaved, beside } = props;
  const [text, setText] = useState(JSON.stringify(draft, null, 2));
  const isUnsaved = text !== JSON.stringify(value, null, 2);
  const question = useUnsaved(isUnsaved);
  const field = { title: "JSON", name: "json", rows: 14, value: text, onInput: setText, hint };
  useEffect(() => onUnsaved?.(isUnsaved), [isUnsaved]);
  const act = async (): Promise<Asked<Value>> => {
    const given = objectIn(text);
    return given === null ? notJson : put(given);
  };
  return (
    <>
      <Form {...{ submit, act, onDone }}>
        <Field isCode {...field} />
      </Form>
      {beside?.(() => objectIn(text))}
      {question}
    </>
  );
}
