/**
 * A buffered answer for the providers' libraries. A `Response` would stream the bytes, a tenth of a call's time
 * on Node.
 */

type Bytes = Uint8Array<ArrayBuffer>;

const decoder = new TextDecoder();
const over = { done: true, value: undefined } as const;

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

/** The members that `@ai-sdk/provider-utils` uses. */
export function readAnswer({
  status,
  headers,
  body,
}: {
  status: number;
  headers: Headers;
  body: Bytes | null;
}): Response {
  let decoded: string | null = null;
  const text = async (): Promise<string> => (decoded ??= decoder.decode(body ?? new Uint8Array()));
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
    // Not `slice`: of a Buffer that is a view of the same memory.
    arrayBuffer: async () => new Uint8Array(body ?? []).buffer,
  };
  return answer as unknown as Response;
}
