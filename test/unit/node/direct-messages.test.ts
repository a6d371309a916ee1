/** A proxied message that goes past the adapter: its client can't tell, and neither can whoever answers. */
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import {
  isPlain,
  plainAnswer,
  responseOf,
  type ClientAnswer,
  type PlainAnswer,
} from "../../../src/domain/ports/client-answer.ts";
import type { ClientMessage } from "../../../src/domain/ports/client-message.ts";
import { createClientStream, type ClientStream } from "../../../src/mcp/sse/client-stream.ts";
import { createOpenWork } from "../../../src/node/open-work.ts";
import { createNodeServer, type NodeServer } from "../../../src/node/server.ts";
import { freePort } from "../../fakes/sqld.ts";

const servers: NodeServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.drain(0);
});

type Say = (
  message: Pick<ClientMessage, "headers" | "arrayBuffer" | "signal">,
) => Promise<ClientAnswer>;

/** `took`: which way each message came. */
async function serving(say: Say, ways: "both" | "adapter") {
  const took: string[] = [];
  const port = await freePort();
  const server = createNodeServer({
    isTrusted: () => false,
    open: createOpenWork(() => 0),
    report: (fault) => void took.push(fault),
    async answer(request) {
      took.push("adapter");
      const response = responseOf(await say(request));
      // As the app does, which adds headers of its own.
      response.headers.set("X-Content-Type-Options", "nosniff");
      return response;
    },
    answerDirectly({ request }) {
      if (ways === "adapter") return null;
      took.push("direct");
      return say(request).then((answer) => {
        if (isPlain(answer)) answer.fields["x-content-type-options"] = "nosniff";
        else answer.headers.set("X-Content-Type-Options", "nosniff");
        return answer;
      });
    },
  });
  servers.push(server);
  await server.listen({ host: "127.0.0.1", port });
  return { port, took };
}

const usual = { Host: "localhost:8080", "Content-Type": "application/json" };

function requestText(
  headers: Record<string, string>,
  body: string,
  line = "POST /mcp/t/s",
): string {
  const all = { ...usual, "Content-Length": String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${line} HTTP/1.1`, ...lines, "", body].join("\r\n");
}

/** Everything that comes until the server ends the connection. */
function askedFor(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => void socket.write(text));
    let got = "";
    socket.on("data", (part) => (got += part.toString()));
    socket.on("error", reject);
    socket.on("end", () => resolve(got.replace(/^Date: .*$/m, "Date: now")));
  });
}

/** An answer in chunks with its body as one chunk: where a body is cut says nothing (RFC 9112, 7.1). */
function inOneChunk(answer: string): string {
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  if (!/^transfer-encoding: chunked$/im.test(head)) return answer;
  let left = rest.join("\r\n\r\n");
  let body = "";
  for (;;) {
    const [length = "", ...after] = left.split("\r\n");
    const size = Number.parseInt(length, 16);
    if (size === 0) return [head, body, left].join("\r\n\r\n");
    const text = after.join("\r\n");
    body += text.slice(0, size);
    left = text.slice(size + 2);
  }
}

const closing = { Connection: "close" };
const fields = { "x-late": "z", "content-type": "application/json", "cache-control": "private" };

function streamOf(act: (stream: ClientStream) => void): PlainAnswer {
  const stream = createClientStream({ silentTicks: () => 9 });
  const content = stream.open();
  act(stream);
  return plainAnswer({
    status: 200,
    fields: { ...fields, "content-type": "text/event-stream" },
    content,
  });
}

const bytes = new TextEncoder().encode('{"a":"\u00e9"}');
const answers: Record<string, () => ClientAnswer> = {
  bytes: () => plainAnswer({ status: 200, fields: { ...fields }, content: bytes }),
  "a text": () => plainAnswer({ status: 404, fields: { ...fields }, content: '{"b":"\u00e9"}' }),
  "no body": () => plainAnswer({ status: 202, fields: { "x-a": "1" }, content: null }),
  "no body and no type": () => plainAnswer({ status: 200, fields: {}, content: "x" }),
  "a stream that is over": () =>
    streamOf((stream) => {
      void stream.write("data: 1\n\n");
      stream.end("data: 2\n\n");
    }),
  "a stream that goes on": () =>
    streamOf((stream) => {
      void stream.write("data: 1\n\n");
      setTimeout(() => stream.end("data: 2\n\n"), 5);
    }),
  "a response": () => Response.json({ c: 1 }, { status: 403, headers: { "x-d": "e" } }),
};

describe("an answer that goes past the adapter", () => {
  it.each(Object.keys(answers))("is the same on the wire as by the adapter: %s", async (name) => {
    const say: Say = async () => answers[name]?.() ?? Response.error();
    const [direct, adapted] = [await serving(say, "both"), await serving(say, "adapter")];
    const text = requestText(closing, "{}");
    const given = inOneChunk(await askedFor(direct.port, text));
    expect(given).toBe(inOneChunk(await askedFor(adapted.port, text)));
    expect([direct.took, adapted.took]).toEqual([["direct"], ["adapter"]]);
  });

  it("is one chunk where its stream is over in one step", async () => {
    const { port } = await serving(
      async () => answers["a stream that is over"]?.() ?? Response.error(),
      "both",
    );
    const [, body] = (await askedFor(port, requestText(closing, "{}"))).split(
      /(?<=\r\n\r\n)(?=12)/,
    );
    expect(body).toBe("12\r\ndata: 1\n\ndata: 2\n\n\r\n0\r\n\r\n");
  });

  it("breaks off where its stream does", async () => {
    const say: Say = async () =>
      streamOf((stream) => {
        void stream.write("data: 1\n\n");
        setTimeout(() => stream.fail(new Error("broke")), 20);
      });
    const { port } = await serving(say, "both");
    const got = await askedFor(port, requestText({}, "{}")).catch(String);
    expect(got).not.toContain("\r\n0\r\n");
  });

  it("waits for a client that reads slowly, and goes on when the client does", async () => {
    const piece = "x".repeat(256 * 1024);
    let written = 0;
    let done: Promise<void> = Promise.resolve();
    const say: Say = async () =>
      streamOf((stream) => {
        done = (async () => {
          for (; written < 64; written += 1) await stream.write(piece);
          stream.end();
        })();
      });
    const { port } = await serving(say, "both");
    const socket: Socket = connect(port, "127.0.0.1", () =>
      socket.write(requestText(closing, "{}")),
    );
    socket.pause();
    await expect.poll(() => written).toBeGreaterThan(0);
    const before = written;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(written).toBeLessThan(64);
    socket.resume();
    await done;
    expect(written).toBeGreaterThan(before);
    socket.destroy();
  });

  it("is given up when its client leaves", async () => {
    const state = { left: false, aborted: false };
    const say: Say = async ({ signal }) => {
      signal.addEventListener("abort", () => (state.aborted = true));
      const stream = createClientStream({
        silentTicks: () => 9,
        left: () => void (state.left = true),
      });
      const content = stream.open();
      void stream.write("data: 1\n\n");
      return plainAnswer({ status: 200, fields, content });
    };
    const { port } = await serving(say, "both");
    const socket: Socket = connect(port, "127.0.0.1", () => socket.write(requestText({}, "{}")));
    socket.once("data", () => socket.destroy());
    await expect.poll(() => state).toEqual({ left: true, aborted: true });
  });
});

describe("a client that left before its answer", () => {
  it.each(Object.keys(answers))("is in nobody's way: %s", async (name) => {
    let given = 0;
    const say: Say = ({ signal }) =>
      new Promise((resolve) => {
        const give = (): void => {
          given += 1;
          resolve(answers[name]?.() ?? Response.error());
        };
        signal.addEventListener("abort", give);
        if (given > 0) give();
      });
    const { port, took } = await serving(say, "both");
    const socket: Socket = connect(port, "127.0.0.1", () => socket.write(requestText({}, "{}")));
    await expect.poll(() => took).toEqual(["direct"]);
    socket.destroy();
    await expect.poll(() => given).toBe(1);
    expect(await askedFor(port, requestText(closing, "{}"))).toContain("HTTP/1.1");
    expect(took).toEqual(["direct", "direct"]);
  });
});

describe("a message that goes past the adapter", () => {
  const say: Say = async (message) =>
    Response.json([[...message.headers], new TextDecoder().decode(await message.arrayBuffer())]);

  it.each<[string, Record<string, string>, string, string?]>([
    [
      "its headers in order, names in lower case",
      { "X-b": " 1 ", "x-A": "2", Cookie: "c=1" },
      "{}",
    ],
    ["an empty body", {}, ""],
    ["a body beyond ASCII", {}, '{"\u00e9":"\u{1F600}"}'],
    ["a body of the greatest size", {}, "y".repeat(64 * 1024)],
    ["a sampling call", {}, "{}", "POST /v1/sampling"],
  ])("is read as by the adapter: %s", async (_, headers, body, line?: string) => {
    const [direct, adapted] = [await serving(say, "both"), await serving(say, "adapter")];
    const text = requestText({ ...closing, ...headers }, body, line);
    expect(await askedFor(direct.port, text)).toBe(await askedFor(adapted.port, text));
    expect(direct.took).toEqual(["direct"]);
  });

  it.each<[string, string]>([
    ["of a page", requestText({ ...closing, Origin: "http://localhost:8080" }, "{}")],
    [
      "with a header that stands there twice",
      requestText({ ...closing, "x-a": "1\r\nx-a: 2" }, "{}"),
    ],
    ["with a content coding", requestText({ ...closing, "Content-Encoding": "gzip" }, "{}")],
    ["that is large", requestText(closing, "y".repeat(64 * 1024 + 1))],
    ["at another path", requestText(closing, "{}", "POST /v1/route")],
    ["that is no POST", requestText({ ...closing, "Content-Length": "0" }, "", "GET /mcp/t/s")],
    ["to a host that has to be judged", requestText({ ...closing, Host: "LOCALHOST:8080" }, "{}")],
  ])("is none %s", async (_, text) => {
    const { port, took } = await serving(say, "both");
    await askedFor(port, text);
    expect(took).toEqual(["adapter"]);
  });
});
