import { Card } from "../parts/card.tsx";
import { useEffect, useState } from "preact/hooks";
import type { Decision } from "../../domain/choice/decision.ts";
import { usd } from "../format.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Field, Form, TextArea } from "../parts/form.tsx";
import { ProblemNotice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { ownPath, tenantHere } from "../place.ts";
import {
  caller,
  dryRun,
  makeCaller,
  send,
  type Answer,
  type SamplingParams,
} from "../playground/caller.ts";
import { MediaField, type Media } from "../playground/media-field.tsx";
import { Pending } from "../playground/pending.tsx";
import { WireRequests } from "../playground/wire-requests.tsx";
import { NotForRole } from "../parts/role.tsx";
import type { Asked } from "../problem.ts";
import { DecisionTable } from "../requests/decision.tsx";
import { mayChange } from "../session.ts";

const axes = ["cost", "speed", "intelligence"] as const;
type Axis = (typeof axes)[number];

interface Draft {
  system: string;
  text: string;
  maxTokens: string;
  hints: string;
  tools: string;
  image: Media | null;
  audio: Media | null;
  priorities: Record<Axis, number>;
}

const empty: Draft = {
  system: "",
  text: "Say hello.",
  maxTokens: "200",
  hints: "",
  tools: "",
  image: null,
  audio: null,
  priorities: { cost: 0.5, speed: 0.5, intelligence: 0.5 },
};

function paramsOf(draft: Draft): SamplingParams | null {
  const { system, text, maxTokens, hints, tools, image, audio, priorities } = draft;
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
      ...Object.fromEntries(axes.map((axis) => [`${axis}Priority`, priorities[axis]])),
    },
    ...(system !== "" && { systemPrompt: system }),
    ...(listed.length > 0 && { tools: listed }),
  };
}

interface PartProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
}

function Sliders({ draft: { priorities }, change }: PartProps) {
  return (
    <fieldset>
      <legend>Priorities</legend>
      {axes.map((axis) => (
        <label key={axis} class="field">
          <span>
            {axis}: {priorities[axis].toFixed(2)}
          </span>
          <input
            type="range"
            name={axis}
            min={0}
            max={1}
            step={0.05}
            value={priorities[axis]}
            onInput={({ currentTarget }) =>
              change({ priorities: { ...priorities, [axis]: Number(currentTarget.value) } })
            }
          />
        </label>
      ))}
    </fieldset>
  );
}

function Compose({ draft, change }: PartProps) {
  return (
    <>
      <TextArea
        title="Message"
        name="text"
        rows={4}
        value={draft.text}
        onInput={(text) => change({ text })}
      />
      <Sliders draft={draft} change={change} />
      <div class="grid">
        <Field
          title="Hints"
          name="hints"
          value={draft.hints}
          onInput={(hints) => change({ hints })}
          placeholder="claude, gpt"
          hint="Comma-separated, most preferred first."
        />
        <Field
          title="maxTokens"
          name="maxTokens"
          type="number"
          min={1}
          isRequired
          value={draft.maxTokens}
          onInput={(maxTokens) => change({ maxTokens })}
        />
      </div>
      <details>
        <summary>System prompt, image, audio, tools</summary>
        <div class="stack">
          <TextArea
            title="System prompt"
            name="system"
            rows={2}
            value={draft.system}
            onInput={(system) => change({ system })}
          />
          <MediaField kind="image" value={draft.image} onInput={(image) => change({ image })} />
          <MediaField kind="audio" value={draft.audio} onInput={(audio) => change({ audio })} />
          <TextArea
            title="Tools"
            name="tools"
            rows={3}
            isCode
            value={draft.tools}
            onInput={(tools) => change({ tools })}
            hint="A JSON list of MCP tools."
          />
        </div>
      </details>
    </>
  );
}

/** ms after the last change */
const settledMs = 200;

function useRanking(params: SamplingParams | null, key: string): Asked<Decision> | null {
  const [ranking, setRanking] = useState<Asked<Decision> | null>(null);
  const wanted = JSON.stringify(params);
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
  }, [wanted, key]);
  return ranking;
}

function textIn(content: unknown): string {
  const blocks = (Array.isArray(content) ? content : [content]) as { text?: string }[];
  return blocks.map((block) => block.text ?? JSON.stringify(block)).join("\n");
}

function Answered({ answer }: { answer: Answer }) {
  const { requestId, costUsd } = answer._meta?.["sampling-router/decision"] ?? {};
  return (
    <section class="card stack" aria-label="Answer">
      <h2>{answer.model ?? "Answer"}</h2>
      <CodeBlock title="Its words" text={textIn(answer.content)} />
      <p>
        It cost {usd(costUsd)}.{" "}
        {requestId !== undefined && (
          <a href={`${ownPath("/requests")}?open=${encodeURIComponent(requestId)}`}>View record</a>
        )}
      </p>
    </section>
  );
}

function Bench({ apiKey }: { apiKey: string }) {
  const [draft, setDraft] = useState(empty);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [isSending, setSending] = useState(false);
  const keyId = caller.value?.keyId;
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const params = paramsOf(draft);
  const ranking = useRanking(params, apiKey);
  const ask = async (): Promise<Asked<unknown>> => {
    if (params === null) {
      const detail = "Enter the tools as a JSON list.";
      const problem = { status: 0, reason: "invalid_params", title: "Not JSON", detail };
      return { ok: false, problem };
    }
    setSending(true);
    const sentAnswer = await send(params);
    setSending(false);
    if (sentAnswer.ok) setAnswer(sentAnswer.value);
    return sentAnswer;
  };
  return (
    <div class="two wide-last">
      <section class="card">
        <Form submit="Send" act={ask}>
          <Compose draft={draft} change={change} />
        </Form>
      </section>
      <div class="stack">
        {isSending && keyId !== undefined && <Pending {...{ keyId }} />}
        {answer !== null && <Answered answer={answer} />}
        <Card title="Selected model" isStack aria-label="Ranking" aria-live="polite">
          {ranking === null && <p class="waiting">Asking…</p>}
          {ranking?.ok === false && <ProblemNotice problem={ranking.problem} />}
          {ranking?.ok === true && <DecisionTable decision={ranking.value} />}
        </Card>
        {params !== null && <WireRequests params={params} />}
      </div>
    </div>
  );
}

export function Playground() {
  const held = caller.value?.tenant === tenantHere() ? caller.value.key : null;
  const [pasted, setPasted] = useState("");
  const mayMake = mayChange.value;
  const take = async (): Promise<Asked<unknown>> => {
    if (pasted.trim() === "") return makeCaller();
    caller.value = { tenant: tenantHere(), key: pasted.trim() };
    return { ok: true, value: null, tag: null };
  };
  return (
    <Page
      title="Playground"
      lead="Compose a request, see which model is selected as you change priorities, and send it."
    >
      {held !== null ? (
        <Bench apiKey={held} />
      ) : (
        <section class="card">
          <Form
            submit={pasted === "" && mayMake ? "Create a key for one hour" : "Use this key"}
            act={take}
          >
            <p>
              The playground sends real requests, so it needs an API key of this tenant. The key is
              kept in this page’s memory only.
            </p>
            {!mayMake && <NotForRole what="can’t create keys. Paste one" permission="change" />}
            <details open={!mayMake}>
              <summary>Use an existing key</summary>
              <Field
                title="API key"
                name="key"
                type="password"
                value={pasted}
                onInput={setPasted}
              />
            </details>
          </Form>
        </section>
      )}
    </Page>
  );
}
