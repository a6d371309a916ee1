import { useEffect, useState } from "preact/hooks";
import { conditionsText } from "../approvals/conditions.ts";
import { useUnsaved } from "../parts/dialog.tsx";
import { Field, Fields, Form, useDraft, type Editing } from "../parts/form.tsx";
import { Card, ForRole, Page, ProblemNotice } from "../parts/page.tsx";
import { tenantHere } from "../place.ts";
import { Answered, Pending, WireRequests } from "../playground/answer.tsx";
import {
  caller,
  dryRun,
  isResumable,
  makeCaller,
  resumeCaller,
  send,
  type Answer,
  type Ranking,
  type SamplingParams,
} from "../playground/caller.ts";
import { invalid, ok, type Asked } from "../problem.ts";
import { DecisionTable } from "../requests/decision.tsx";
import { axes } from "../requests/notes.ts";
import { mayChange } from "../session.ts";

type Media = { type: "image" | "audio"; data: string; mimeType: string };

const axisTitles = { cost: "Low cost", speed: "Speed", intelligence: "Intelligence" } as const;

const empty = {
  system: "",
  text: "Say hello.",
  maxTokens: "200",
  hints: "",
  tools: "",
  image: null as Media | null,
  audio: null as Media | null,
  cost: 0.5,
  speed: 0.5,
  intelligence: 0.5,
};
type Draft = typeof empty;

/** `null` if the tools aren't a JSON list. */
function paramsOf(draft: Draft): SamplingParams | null {
  const { system, text, maxTokens, hints, tools, image, audio } = draft;
  let listed: unknown;
  try {
    listed = tools.trim() === "" ? [] : JSON.parse(tools);
  } catch {
    return null;
  }
  if (!Array.isArray(listed)) return null;
  const content = [{ type: "text", text }, ...[image, audio].filter((each) => each !== null)];
  const names = hints.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  return {
    messages: [{ role: "user", content: content.length === 1 ? content[0] : content }],
    maxTokens: Number(maxTokens),
    modelPreferences: {
      hints: names.map((name) => ({ name })),
      costPriority: draft.cost,
      speedPriority: draft.speed,
      intelligencePriority: draft.intelligence,
    },
    ...(system !== "" && { systemPrompt: system }),
    ...(listed.length > 0 && { tools: listed }),
  };
}

const hint = "Comma-separated, most preferred first.";
const below = [
  { name: "hints", title: "Model hints", placeholder: "claude, gpt", hint },
  { name: "maxTokens", title: "Maximum tokens", type: "number", min: 1, isRequired: true },
] as const;
const more = [
  { name: "system", title: "System prompt", rows: 2 },
  { name: "tools", title: "Tools", rows: 3, isCode: true, hint: "A JSON list of MCP tools." },
] as const;

const maxBytes = 4_000_000;

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** An image or audio, a member of the draft. */
function MediaField({ kind, draft, change }: Editing<Draft> & { kind: Media["type"] }) {
  const [fault, setFault] = useState<string | null>(null);
  const value = draft[kind];
  const take = async (file: File | undefined): Promise<void> => {
    setFault(null);
    if (file === undefined) return change({ [kind]: null });
    if (file.size > maxBytes) return setFault("The file is larger than 4 MB.");
    try {
      change({ [kind]: { type: kind, data: await base64Of(file), mimeType: file.type } });
    } catch {
      setFault("The browser could not read the file.");
    }
  };
  return (
    <label class="field">
      <span>{kind === "image" ? "Image" : "Audio"}</span>
      <input
        type="file"
        accept={`${kind}/*`}
        onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
      />
      {fault !== null && <small class="fault">{fault}</small>}
      {value !== null && <small>{value.mimeType} is sent with the message.</small>}
    </label>
  );
}

function Compose({ draft, change }: Editing<Draft>) {
  return (
    <>
      <Fields of={[{ name: "text", title: "Message", rows: 3 }]} {...{ draft, change }} />
      <fieldset>
        <legend>Priorities</legend>
        {axes.map((axis) => (
          <label key={axis} class="field slider">
            <span>
              {axisTitles[axis]}: {draft[axis].toFixed(2)}
            </span>
            <input
              type="range"
              name={axis}
              {...{ min: 0, max: 1, step: 0.05 }}
              value={draft[axis]}
              onInput={({ currentTarget }) => change({ [axis]: Number(currentTarget.value) })}
            />
          </label>
        ))}
      </fieldset>
      <div class="grid">
        <Fields of={below} {...{ draft, change }} />
      </div>
      <details>
        <summary>System prompt, image, audio, tools</summary>
        <div class="stack">
          <Fields of={more} {...{ draft, change }} />
          <MediaField kind="image" {...{ draft, change }} />
          <MediaField kind="audio" {...{ draft, change }} />
        </div>
      </details>
    </>
  );
}

/** ms after the last change */
const settledMs = 200;

function useRanking(params: SamplingParams | null): Asked<Ranking> | null {
  const [ranking, setRanking] = useState<Asked<Ranking> | null>(null);
  useEffect(() => {
    if (params === null) return undefined;
    let isOld = false;
    const timer = setTimeout(() => {
      void dryRun(params).then((found) => (isOld ? undefined : setRanking(found)));
    }, settledMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [JSON.stringify(params)]);
  return ranking;
}

const notJson = invalid({
  title: "Not JSON",
  detail: "Enter the tools as a JSON list.",
  path: "tools",
});

function Bench() {
  const { draft, change } = useDraft(empty);
  const [answer, setAnswer] = useState<Answer | "awaited" | null>(null);
  const params = paramsOf(draft);
  const ranking = useRanking(params);
  const approval = ranking?.ok === true ? ranking.value.approval : undefined;
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
          <Compose draft={draft} change={change} />
          {approval !== undefined && (
            <p class="notice warn">
              {approval.stages.includes("request") ? "This call waits" : "The result waits"} for
              approval: {conditionsText(approval.conditions, approval.maxCostUsd)}.
            </p>
          )}
        </Form>
      </section>
      <div class="stack">
        {answer === "awaited" ? <Pending /> : answer !== null && <Answered answer={answer} />}
        <Card title="Selected model" isStack aria-label="Ranking" aria-live="polite">
          {ranking === null && <p class="waiting">Asking…</p>}
          {ranking?.ok === false && <ProblemNotice problem={ranking.problem} />}
          {ranking?.ok === true && <DecisionTable decision={ranking.value} />}
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
    if (pasted.trim() === "") return isResumable() ? resumeCaller() : makeCaller();
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
