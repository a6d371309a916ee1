import { useRef, useState } from "preact/hooks";
import { parsedJson } from "../../domain/json.ts";
import { conditionsText } from "../approvals/texts.ts";
import { usd } from "../format.ts";
import { useLoaded, valueIn } from "../load.ts";
import { useUnsaved } from "../parts/dialog.tsx";
import { Field, Fields, Form, useDraft, type Editing } from "../parts/form.tsx";
import { Card, ForRole, Page, There } from "../parts/page.tsx";
import { tenantHere } from "../place.ts";
import { Answered, Pending, WireRequests } from "../playground/answer.tsx";
import { caller, dryRun, isResumable, makeCaller, send } from "../playground/caller.ts";
import type { Answer, SamplingParams } from "../playground/caller.ts";
import type { Media } from "../playground/wires.ts";
import { invalid, ok, type Asked } from "../problem.ts";
import { DecisionTable } from "../requests/decision.tsx";
import { axes } from "../requests/notes.ts";
import { mayChange } from "../session.ts";

const axisTitles = { cost: "Low cost", speed: "Speed", intelligence: "Intelligence" } as const;

const empty = {
  text: "Say hello.",
  media: [] as Media[],
  tools: "",
  hints: [] as string[] | undefined,
  costPriority: 0.5,
  speedPriority: 0.5,
  intelligencePriority: 0.5,
  maxTokens: 200,
  systemPrompt: "",
};
type Draft = typeof empty;

/** `null` if the tools aren't a JSON list. */
function paramsOf({ text, media, tools: json, ...draft }: Draft): SamplingParams | null {
  const { hints = [], maxTokens, systemPrompt, ...priorities } = draft;
  const tools = parsedJson(json.trim() || "[]");
  if (!Array.isArray(tools)) return null;
  return {
    messages: [{ role: "user", content: [{ type: "text", text }, ...media] }],
    maxTokens,
    modelPreferences: { hints: hints.map((name) => ({ name })), ...priorities },
    ...(systemPrompt !== "" && { systemPrompt }),
    ...(tools.length > 0 && { tools }),
  };
}

const hint = "Comma-separated, most preferred first.";
const below = [
  { name: "hints", title: "Model hints", placeholder: "claude, gpt", hint, as: "list" },
  { name: "maxTokens", title: "Maximum tokens", as: "number", min: 1, isRequired: true },
] as const;
const more = [
  { name: "systemPrompt", title: "System prompt", rows: 2 },
  { name: "tools", title: "Tools", rows: 3, isCode: true, hint: "A JSON list of MCP tools." },
] as const;

async function mediaOf(file: File): Promise<Media> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return { type: file.type.startsWith("audio/") ? "audio" : "image", data, mimeType: file.type };
}

function MediaField({ draft: { media }, change }: Editing<Draft>) {
  const [fault, setFault] = useState("");
  const take = async (files: File[]): Promise<void> => {
    const isLarge = files.some(({ size }) => size > 4_000_000);
    setFault(isLarge ? "A file is larger than 4 MB." : "");
    try {
      change({ media: isLarge ? [] : await Promise.all(files.map(mediaOf)) });
    } catch {
      setFault("The browser could not read the file.");
    }
  };
  return (
    <label class="field">
      <span>Images and audio</span>
      <input
        type="file"
        multiple
        accept="image/*,audio/*"
        onChange={({ currentTarget: { files } }) => void take([...(files ?? [])])}
      />
      <small class="fault">{fault}</small>
      <small>{media.map(({ mimeType }) => `${mimeType} is sent with the message. `)}</small>
    </label>
  );
}

function Compose({ draft, change }: Editing<Draft>) {
  return (
    <>
      <Fields of={[{ name: "text", title: "Message", rows: 3 }]} {...{ draft, change }} />
      <fieldset>
        <legend>Priorities</legend>
        {axes.map((axis) => {
          const name = `${axis}Priority` as const;
          return (
            <label key={axis} class="field slider">
              <span>
                {axisTitles[axis]}: {draft[name].toFixed(2)}
              </span>
              <input
                type="range"
                {...{ name, min: 0, max: 1, step: 0.05 }}
                value={draft[name]}
                onInput={({ currentTarget: { value } }) => change({ [name]: Number(value) })}
              />
            </label>
          );
        })}
      </fieldset>
      <div class="grid">
        <Fields of={below} {...{ draft, change }} />
      </div>
      <details>
        <summary>System prompt, images, audio, tools</summary>
        <div class="stack">
          <Fields of={more} {...{ draft, change }} />
          <MediaField {...{ draft, change }} />
        </div>
      </details>
    </>
  );
}

const notJson = invalid({ title: "Not JSON", detail: "Enter a JSON list.", path: "tools" });

function Bench() {
  const { draft, change } = useDraft(empty);
  const timer = useRef(0);
  const [answer, setAnswer] = useState<Answer | "awaited" | null>(null);
  const params = paramsOf(draft);
  const rank = async () => (params === null ? notJson : dryRun(params));
  const ranking = useLoaded("ranking", rank);
  const ranked = valueIn(ranking);
  // The router withdraws a call whose caller leaves.
  const question = useUnsaved(answer === "awaited", "The pending call");
  const ask = async (): Promise<Asked<unknown>> => {
    if (params === null) return notJson;
    setAnswer("awaited");
    const sent = await send(params);
    setAnswer(sent.ok ? sent.value : null);
    return sent;
  };
  return (
    <div class="two wide-last">
      <section class="card">
        <Form submit="Send" act={ask}>
          <Compose
            draft={draft}
            change={(changes) => {
              change(changes);
              clearTimeout(timer.current);
              timer.current = window.setTimeout(() => void ranking.again(), 200);
            }}
          />
          {ranked?.approval && (
            <p class="notice warn">
              {ranked.approval.stages.includes("request") ? "This call waits" : "The result waits"}{" "}
              for approval: {conditionsText(ranked.approval)}. Highest cost with failover:{" "}
              {usd(ranked.approval.maxCostUsd)}.
            </p>
          )}
        </Form>
      </section>
      <div class="stack">
        {answer === "awaited" ? <Pending /> : answer !== null && <Answered answer={answer} />}
        <Card title="Selected model" isStack aria-label="Ranking" aria-live="polite">
          <There what="the selection" loading={ranking}>
            {(decision) => <DecisionTable {...{ decision }} />}
          </There>
        </Card>
        {params !== null && <WireRequests params={params} />}
        {question}
      </div>
    </div>
  );
}

function KeyForm() {
  const [pasted, setPasted] = useState("");
  const mayMake = mayChange.value;
  const made = isResumable() ? "Go on with this tab’s key" : "Create a key for one hour";
  const take = async (): Promise<Asked<unknown>> => {
    if (pasted.trim() === "") return makeCaller();
    caller.value = { tenant: tenantHere(), key: pasted.trim() };
    return ok(null);
  };
  return (
    <section class="card">
      <Form submit={pasted === "" && mayMake ? made : "Use this key"} act={take}>
        <p>
          The playground sends real requests, so it needs an API key of this tenant. The key is kept
          in this page’s memory only. After a reload you can continue with it: it gets a new secret.
        </p>
        <ForRole without="can’t create keys. Paste one" />
        <details open={!mayMake}>
          <summary>Use an existing key</summary>
          <Field title="API key" name="key" type="password" value={pasted} onInput={setPasted} />
        </details>
      </Form>
    </section>
  );
}

export function Playground() {
  return (
    <Page
      title="Playground"
      lead="Compose a request, see which model is selected as you change priorities, and send it."
    >
      {caller.value?.tenant === tenantHere() ? <Bench /> : <KeyForm />}
    </Page>
  );
}
