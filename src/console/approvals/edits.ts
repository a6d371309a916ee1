/** Edits of a pending call. Pure, for tests. */
import type { Schemas } from "../api.ts";

type Content = Schemas["Approval"]["content"];
type Edits = NonNullable<Schemas["ApprovalDecision"]["edited"]>;
type Sent = NonNullable<Edits["messages"]>[number];
type Block = Extract<Sent["content"], readonly unknown[]>[number];

interface Message {
  role: Sent["role"];
  content: Block[];
}

export interface Draft {
  messages: Message[] | null;
  systemPrompt: string;
  model: string;
  text: string | null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function blockOf(value: unknown): Block | null {
  if (!isObject(value)) return null;
  const { type, text, data, mimeType } = value;
  if (type === "text") return { type, text: textOf(text) };
  if (type !== "image" && type !== "audio") return null;
  return { type, data: textOf(data), mimeType: textOf(mimeType) };
}

function blocksOf(content: unknown): Block[] | null {
  const all = (Array.isArray(content) ? content : [content]).map((block) => blockOf(block));
  return all.every((block) => block !== null) ? all : null;
}

function messagesOf(messages: unknown): Message[] | null {
  if (!Array.isArray(messages)) return null;
  const all = messages.map((message: unknown): Message | null => {
    if (!isObject(message)) return null;
    const content = blocksOf(message["content"]);
    const role = message["role"] === "assistant" ? "assistant" : "user";
    return content === null ? null : { role, content };
  });
  return all.every((message) => message !== null) ? all : null;
}

function resultText(content: unknown): string | null {
  const [first, ...others] = blocksOf(content) ?? [];
  return first?.type === "text" && others.length === 0 ? first.text : null;
}

export function draftOf(stage: "request" | "result", content: Content): Draft {
  const call = isObject(content?.["call"]) ? content["call"] : {};
  return {
    messages: stage === "request" ? messagesOf(call["messages"]) : null,
    systemPrompt: textOf(call["systemPrompt"]),
    model: textOf(content?.["model"]),
    text: stage === "result" ? resultText(content?.["content"]) : null,
  };
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

export function editsOf(before: Draft, after: Draft): Edits | null {
  const edits: Edits = {
    ...(after.messages !== null &&
      !isSame(before.messages, after.messages) && { messages: after.messages }),
    ...(before.systemPrompt !== after.systemPrompt && { systemPrompt: after.systemPrompt }),
    ...(before.model !== after.model && { model: after.model }),
    ...(after.text !== null && before.text !== after.text && { text: after.text }),
  };
  return Object.keys(edits).length === 0 ? null : edits;
}

export function withText(
  draft: Draft,
  { at, block, text }: { at: number; block: number; text: string },
): Draft {
  const messages = (draft.messages ?? []).map((message, index) =>
    index !== at
      ? message
      : {
          ...message,
          content: message.content.map((each, place) =>
            place === block ? ({ type: "text", text } as const) : each,
          ),
        },
  );
  return { ...draft, messages };
}

const charactersInRow = 70;

export const rowsFor = (text: string): number => {
  const rows = text
    .split("\n")
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / charactersInRow)), 0);
  return Math.min(14, Math.max(2, rows + 1));
};
