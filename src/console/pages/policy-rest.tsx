import { Choice, Field, TextArea } from "../parts/form.tsx";

const onOff = [
  ["", "Default (off)"],
  ["none", "Off"],
  ["full", "Requests and results, encrypted"],
] as const;

export type Capture = "" | "none" | "full";

interface RestProps {
  maxTokens: string;
  setMaxTokens: (text: string) => void;
  capture: Capture;
  setCapture: (capture: Capture) => void;
  timeZone: string;
  setTimeZone: (name: string) => void;
  days: string;
  setDays: (text: string) => void;
  faultOf: (name: string) => string | null;
}

export function Rest(props: RestProps) {
  const { maxTokens, setMaxTokens, capture, setCapture, days, setDays, faultOf } = props;
  const { timeZone, setTimeZone } = props;
  return (
    <div class="grid">
      <Field
        title="Maximum tokens per answer"
        name="maxTokens"
        type="number"
        min={1}
        placeholder="none"
        value={maxTokens}
        onInput={setMaxTokens}
        fault={faultOf("maxTokens")}
      />
      <Choice
        title="Captured content"
        name="capture"
        value={capture}
        options={onOff}
        onInput={setCapture}
      />
      <Field
        title="Record retention (days)"
        name="retentionDays"
        type="number"
        min={1}
        placeholder="90"
        value={days}
        onInput={setDays}
        fault={faultOf("retentionDays")}
      />
      <Field
        title="Time zone"
        name="timeZone"
        placeholder="UTC"
        list="time-zones"
        value={timeZone}
        onInput={setTimeZone}
        hint="For days, weeks and months of all limits. A change resets their usage."
        fault={faultOf("timeZone")}
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf("timeZone").map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </div>
  );
}

interface ListsProps {
  allowed: string;
  setAllowed: (text: string) => void;
  denied: string;
  setDenied: (text: string) => void;
}

export function Lists({ allowed, setAllowed, denied, setDenied }: ListsProps) {
  return (
    <div class="grid">
      <TextArea
        title="Allowed models"
        name="allowedModels"
        rows={3}
        isCode
        value={allowed}
        onInput={setAllowed}
        hint="One pattern per line: provider/model. */anthropic/claude-* allows Claude at every provider. Leave blank to allow all."
      />
      <TextArea
        title="Denied models"
        name="deniedModels"
        rows={3}
        isCode
        value={denied}
        onInput={setDenied}
        hint="Takes precedence over allowed models. A pattern can match any name of a model: */claude-opus* denies Claude Opus at every provider."
      />
    </div>
  );
}
