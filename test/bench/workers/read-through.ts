/**
 * The least that a proxy can do which may have to take a part out of what it hands on: it reads both ways,
 * chooses the headers that go on, and can end an exchange that takes too long. What that alone costs in
 * this runtime.
 */
const patienceMs = 60_000;
const ofOneHop = new Set(["connection", "content-length", "host", "transfer-encoding"]);

function chosen(from: Headers): Record<string, string> {
  const headers: Record<string, string> = {};
  from.forEach((value, name) => {
    if (!ofOneHop.has(name)) headers[name] = value;
  });
  return headers;
}

function read(response: Response): ReadableStream {
  const reader = response.body?.getReader();
  return new ReadableStream({
    async pull(controller) {
      const next = await reader?.read();
      if (next === undefined || next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => reader?.cancel(reason),
  });
}

export default {
  async fetch(request: Request, env: { SERVER_URL: string }): Promise<Response> {
    const ending = new AbortController();
    const late = setTimeout(() => ending.abort(), patienceMs);
    const response = await fetch(env.SERVER_URL, {
      method: request.method,
      headers: chosen(request.headers),
      body: await request.arrayBuffer(),
      redirect: "manual",
      signal: ending.signal,
    });
    clearTimeout(late);
    const { status, headers } = response;
    const body = headers.has("content-length") ? await response.arrayBuffer() : read(response);
    return new Response(body, { status, headers: chosen(headers) });
  },
};
