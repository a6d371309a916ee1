/**
 * The answer to a client as the proxy makes it. A `Response` is one. A plain one is its parts, which a host may write
 * to the client's connection without the objects and streams of `fetch` in between.
 */
import type { UpstreamAnswer } from "./upstream.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Where a host takes a body. */
export interface BodySink {
  /** False: enough waits for the client. `Pouring.readOn` is called when there is room again. */
  write(bytes: Bytes): boolean;
  /** The body is whole. */
  end(): void;
  /** The body broke off. */
  fail(reason: unknown): void;
}

/** What the host tells of the client. */
export interface Pouring {
  /** The client has taken what waited. */
  readOn(): void;
  /** The client has left. */
  cancel(): void;
}

/** A body that is still written. One of the two is called, and once. */
export interface ClientBody {
  pour(sink: BodySink): Pouring;
  stream(): ReadableStream<Bytes>;
}

export interface PlainAnswer extends UpstreamAnswer {
  readonly body: ReadableStream<Bytes> | null;
  /** with names in lower case */
  readonly fields: Record<string, string>;
  readonly content: ClientBody | Bytes | string | null;
}

export type ClientAnswer = Response | PlainAnswer;

const isClientBody = (content: PlainAnswer["content"]): content is ClientBody =>
  content !== null && typeof content === "object" && "pour" in content;

/** The body of `Response`s, which is null for no content. */
const bodyInit = (content: PlainAnswer["content"]): BodyInit | null =>
  isClientBody(content) ? content.stream() : content;

export function plainAnswer({
  status,
  fields,
  content,
}: Pick<PlainAnswer, "status" | "fields" | "content">): PlainAnswer {
  // Made where somebody reads it, which nobody does on the way to the client.
  let body: ReadableStream<Bytes> | null = null;
  const bodyOf = (): ReadableStream<Bytes> | null =>
    (body ??= new Response(bodyInit(content)).body);
  return {
    status,
    ok: status >= 200 && status < 300,
    fields,
    content,
    headers: {
      get: (name) => fields[name.toLowerCase()] ?? null,
      has: (name) => fields[name.toLowerCase()] !== undefined,
      forEach: (act) => {
        for (const [name, value] of Object.entries(fields)) act(value, name);
      },
    },
    get body() {
      return bodyOf();
    },
    arrayBuffer: () => new Response(bodyOf()).arrayBuffer(),
  };
}

export const isPlain = (answer: ClientAnswer): answer is PlainAnswer => "content" in answer;

/** The answer as hosts have it that speak `fetch`. */
export const responseOf = (answer: ClientAnswer): Response =>
  isPlain(answer)
    ? new Response(bodyInit(answer.content), { status: answer.status, headers: answer.fields })
    : answer;

/** Status and headers, for an answer with another body. */
export const headOf = (answer: ClientAnswer): ResponseInit =>
  isPlain(answer) ? { status: answer.status, headers: answer.fields } : answer;
