/**
 * An answer that has been read, in the shape in which the providers' libraries read it once more. A `Response` would
 * make a stream of the bytes, which took a tenth of a call's time on Node.
 */

type Bytes = Uint8Array<ArrayBuffer>;

const over = { done: true, value: undefined } as const;

/** The whole body in one piece. */
function bodyOf(bytes: Bytes) {
  let left: Bytes | null = bytes;
  const read = async () => {
    const value = left;
    left = null;
    return value === null || value.byteLength === 0 ? over : { done: false, value };
  };
  const cancel = async (): Promise<void> => void (left = null);
  return {
    getReader: () => ({ read, cancel, releaseLock: () => {}, closed: Promise.resolve() }),
    cancel,
    [Symbol.asyncIterator]: () => ({ next: read, return: async () => over }),
  };
}

/** Has what `@ai-sdk/provider-utils` uses of a response; all that reads a body reads the same bytes. */
export function readAnswer({
  status,
  headers,
  body,
}: {
  status: number;
  headers: Headers;
  /** null: the answer has none */
  body: Bytes | null;
}): Response {
  const text = async (): Promise<string> => new TextDecoder().decode(body ?? new Uint8Array());
  const answer = {
    status,
    headers,
    ok: status >= 200 && status < 300,
    statusText: "",
    url: "",
    redirected: false,
    body: body === null ? null : bodyOf(body),
    text,
    json: async (): Promise<unknown> => JSON.parse(await text()),
    arrayBuffer: async () => (body ?? new Uint8Array()).slice().buffer,
  };
  return answer as unknown as Response;
}
