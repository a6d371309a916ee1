/** A value of the API as fields, with its JSON one click away, and what saving it has changed. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { isObject, parsedJson, type JsonObject } from "../../domain/json.ts";
import { mergePatchOf } from "../../domain/merge-patch.ts";
import { shortTime } from "../format.ts";
import { useLoaded } from "../load.ts";
import { changedMembers, changeText, membersText, memberTitle } from "../policy-changes.ts";
import { invalid, type Asked } from "../problem.ts";
import { mayChange } from "../session.ts";
import { useUnsaved } from "./dialog.tsx";
import { Field, Form, useDraft, type Editing } from "./form.tsx";
import { Button, Facts, ForRole, There } from "./page.tsx";

const notJson = invalid({ title: "Not JSON", detail: "Enter a JSON object.", path: "json" });
const textOf = (value: object): string => JSON.stringify(value, null, 2);

type Members = Readonly<Record<string, unknown>>;

export interface Changed<Value> {
  value: Value;
  patch: JsonObject;
  tag: string | null;
}

interface EditedProps<Value extends Members> {
  what: string;
  submit: string;
  hint: ComponentChildren;
  read: () => Promise<Asked<Value>>;
  write: (changed: Changed<Value>) => Promise<Asked<Value>>;
  /** `null` if it isn't JSON */
  beside?: (value: Value | null) => ComponentChildren;
  children: (editing: Editing<Value>) => ComponentChildren;
}

type FormProps<Value extends Members> = Omit<EditedProps<Value>, "what" | "read"> &
  Pick<Changed<Value>, "value" | "tag"> & { onDone: (saved: Value) => void; reload: () => unknown };

function EditForm<Value extends Members>(props: FormProps<Value>) {
  const { value, tag, hint, write, beside, children, ...form } = props;
  const { draft, change } = useDraft(value);
  /** `null`: the fields are shown */
  const [text, setText] = useState<string | null>(null);
  const parsed = text === null ? draft : parsedJson(text);
  const now = isObject(parsed) ? (parsed as Value) : null;
  const patch = now === null ? {} : mergePatchOf(value, now);
  const unsaved = now === null ? ["JSON"] : Object.keys(patch).map(memberTitle);
  const question = useUnsaved(unsaved.length > 0);
  // Fields can't show all JSON.
  const isKept = text !== null && text !== textOf(draft);
  return (
    <>
      <Form
        {...form}
        act={async () => (now === null ? notJson : write({ value: now, patch, tag }))}
        beside={
          <>
            {beside?.(now)}
            <Button
              class="quiet"
              disabled={isKept}
              title={isKept ? "Save or undo the changes of the JSON first." : ""}
              onClick={() => setText(text === null ? textOf(draft) : null)}
            >
              {text === null ? "Edit JSON" : "Edit fields"}
            </Button>
            <span class="faint">{unsaved.length > 0 && `Not saved: ${unsaved.join(", ")}`}</span>
          </>
        }
      >
        {text === null ? (
          children({ draft, change })
        ) : (
          <Field
            title="JSON"
            name="json"
            rows={20}
            isCode
            {...{ value: text, hint }}
            onInput={setText}
          />
        )}
      </Form>
      {question}
    </>
  );
}

export function Edited<Value extends Members>({ what, read, ...form }: EditedProps<Value>) {
  const [saved, setSaved] = useState<{ at: number; changes: string[] } | null>(null);
  const loading = useLoaded(`${what} ${saved?.at ?? ""}`, read);
  const onDone = (before: Value, after: Value): void =>
    setSaved({
      at: Date.now(),
      changes: changedMembers(before, after).map(changeText),
    });
  return (
    <>
      {saved !== null && (
        <div
          class="notice good"
          role="status"
          ref={(each) => each?.scrollIntoView({ block: "center" })}
        >
          <strong>Saved at {shortTime(saved.at)}.</strong>
          <ul class="plain">
            {saved.changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
        </div>
      )}
      <There what={`the ${what}`} loading={loading}>
        {(value, { tag }) =>
          mayChange.value ? (
            <EditForm
              key={tag}
              {...{ ...form, value, tag }}
              onDone={(after) => onDone(value, after)}
              reload={loading.again}
            />
          ) : (
            <section class="card stack">
              <ForRole without={`can’t change the ${what}`} />
              <Facts
                of={Object.keys(value).map((each) => [
                  memberTitle(each),
                  membersText(value, [each]),
                ])}
              />
            </section>
          )
        }
      </There>
    </>
  );
}
