/** Edits of a pending call. Pure, for tests. */
import type { Block, SamplingCall } from "../../domain/sampling/call.ts";
import type { Schemas } from "../api.ts";

type Edits = NonNullable<Schemas["ApprovalDecision"]["edited"]>;

/** What an approver sees of a request, or of a result. */
export type Shown = Partial<{
  who: Partial<Record<"user" | "tool" | "clientName" | "clientVersion", string | null>>;
  server: string | null;
  model: string;
  alternatives: string[];
  estimate: { costUsd?: number | null };
  reservedUsd: number | null;
  costUsd: number | null;
  call: Pick<SamplingCall, "messages" | "systemPrompt">;
  content: Block[];
}>;

type Editable = Extract<Block, { type: "text" | "image" | "audio" }>;

export interface Draft {
  messages: { role: "user" | "assistant"; content: Editable[] }[] | null;
  systemPrompt: string;
  model: string;
  text: string | null;
}

/** Parts of a tool loop can't be edited. */
const isEditable = ({ type }: Block): boolean => type !== "tool_use" && type !== "tool_result";

export function draftOf({ call, content, model = "" }: Shown): Draft {
  const isWhole = call?.messages.every((message) => message.content.every(isEditable));
  const [first, ...others] = content ?? [];
  return {
    messages: isWhole ? (call?.messages as Draft["messages"]) : null,
    systemPrompt: call?.systemPrompt ?? "",
    model,
    text: first?.type === "text" && others.length === 0 ? first.text : null,
  };
}

export function editsOf(before: Draft, after: Draft): Edits | null {
  const edits = Object.entries(after).filter(
    ([name, value]) =>
      value !== null && JSON.stringify(value) !== JSON.stringify(before[name as keyof Draft]),
  );
  return edits.length === 0 ? null : Object.fromEntries(edits);
}

type Text = { at: number; block: number; text: string };

export function withText({ messages: before, ...draft }: Draft, { at, block, text }: Text): Draft {
  const messages = structuredClone(before ?? []);
  messages[at]?.content.splice(block, 1, { type: "text", text });
  return { ...draft, messages };
}
