/** A `Response`, or its plain parts, which a host can write without `fetch` objects and streams. */
import type { UpstreamAnswer } from "./upstream.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface BodySink {
  /** False: backpressure; `Piping.resume` follows. */
  write(bytes: Bytes): boolean;
  end(): void;
  fail(reason: unknown): void;
}

export interface Piping {
  resume(): void;
  cancel(): void;
}

export interface ClientBody {
  /** The stream's owner ends it; absent: the body's reader ends it. */
  owned?: true;
  pipe(sink: BodySink): Piping;
  stream(): ReadableStream<Bytes>;
}

export interface PlainAnswer extends UpstreamAnswer {
  readonly body: ReadableStream<Bytes> | null;
  readonly fields: Record<string, string>;
  readonly content: ClientBody | Bytes | string | null;
}

export type ClientAnswer = Response | PlainAnswer;

export const isClientBody = (content: PlainAnswer["content"]): content is ClientBody =>
  content !== null && typeof content === "object" && "pipe" in content;

/** null, as `Response` requires for empty content. */
const bodyInit = (content: PlainAnswer["content"]): BodyInit | null =>
  isClientBody(content) ? content.stream() : content;

export const inLowerCase = (headers: Record<string, string>): Record<string, string> => {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) fields[name.toLowerCase()] = value;
  return fields;
};

export function plainAnswer({
  status,
  fields,
  content,
}: Pick<PlainAnswer, "status" | "fields" | "content">): PlainAnswer {
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

export const responseOf = (answer: ClientAnswer): Response =>
  isPlain(answer)
    ? new Response(bodyInit(answer.content), { status: answer.status, headers: answer.fields })
    : answer;

export const headOf = (answer: ClientAnswer): ResponseInit =>
  isPlain(answer) ? { status: answer.status, headers: answer.fields } : answer;
