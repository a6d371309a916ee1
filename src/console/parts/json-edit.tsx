/** A whole object as JSON, to be replaced. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Asked } from "../problem.ts";
import { Form, TextArea } from "./form.tsx";

const notJson: Asked<never> = {
  ok: false,
  problem: {
    status: 0,
    reason: "invalid_params",
    title: "Not JSON",
    detail: "Correct the text, so that it is one JSON object.",
  },
};

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
  /** stands below, and sees what is written; null: no JSON object */
  beside?: (valueOf: () => object | null) => ComponentChildren;
}

export function JsonEdit({ value, submit, put, hint, beside }: JsonEditProps) {
  const [text, setText] = useState(JSON.stringify(value, null, 2));
  const act = async (): Promise<Asked<unknown>> => {
    const given = parsed(text);
    return given === null ? notJson : put(given);
  };
  return (
    <>
      <Form submit={submit} act={act}>
        {() => (
          <TextArea
            title="JSON"
            name="json"
            rows={14}
            isCode
            value={text}
            onInput={setText}
            hint={hint}
          />
        )}
      </Form>
      {beside?.(() => parsed(text))}
    </>
  );
}
