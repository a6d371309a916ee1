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

interface Message {
  role: "user" | "assistant";
  content: Extract<Block, { type: "text" | "image" | "audio" }>[];
}

export interface Draft {
  messages: Message[] | null;
  systemPrompt: string;
  model: string;
  text: string | null;
}

/** Parts of a tool loop can't be edited. */
const isEditable = ({ type }: Block): boolean => type !== "tool_use" && type !== "tool_result";

export function draftOf({ call, content, model = "" }: Shown): Draft {
  const messages = call?.messages.every((message) => message.content.every(isEditable))
    ? (call.messages as Message[])
    : null;
  const [first, ...others] = content ?? [];
  return {
    messages,
    systemPrompt: call?.systemPrompt ?? "",
    model,
    text: first?.type === "text" && others.length === 0 ? first.text : null,
  };
}

export function editsOf(before: Draft, after: Draft): Edits | null {
  const edits = Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) =>
        value !== null && JSON.stringify(value) !== JSON.stringify(before[name as keyof Draft]),
    ),
  ) as Edits;
  return Object.keys(edits).length === 0 ? null : edits;
}

export const withText = (
  draft: Draft,
  { at, block, text }: { at: number; block: number; text: string },
): Draft => ({
  ...draft,
  messages: (draft.messages ?? []).map((message, index) =>
    index === at
      ? { ...message, content: message.content.with(block, { type: "text", text }) }
      : message,
  ),
});
