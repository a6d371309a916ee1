/** A provider on loopback that does everything wrong, and talks too much while doing it. */
import type { ServerResponse } from "node:http";
import { png, wav } from "../fixtures/providers/calls.ts";
import type { StrictWire } from "./strict-wires.ts";
import { answerAt } from "./wire-answers.ts";
import { sendJson, startWireServer } from "./wire-server.ts";

export const faultyModes = [
  /** 401 whose body and header echo the key */
  "unauthorized",
  /** 429 with `Retry-After: 7` that echoes the whole request */
  "rate-limited",
  /** 500 with an HTML page that echoes the whole request */
  "broken",
  /** 400 that echoes the whole request */
  "rejected",
  /** 404 that echoes the whole request */
  "unknown-model",
  /** the connection is reset once the request has been read */
  "reset",
  /** 200, a header for 1,000 bytes, a few of them, then a reset */
  "cut",
  /** 200 and no JSON, echoing the whole request */
  "garbage",
  /** 200 and JSON of another shape, echoing the whole request */
  "misshapen",
  /** 200 and JSON of nobody's, echoing the whole request */
  "unrelated",
  /** 200, the provider's own envelope, no content */
  "empty",
  /** 200 and not one byte */
  "silent",
  /** 200 and a proper answer, after `slowMs` */
  "slow",
  /** 200 and a proper answer */
  "fine",
] as const;
export type FaultyMode = (typeof faultyModes)[number];

/** The answers of the modes `slow` and `fine`. Image and speech endpoints send a small image or sound. */
export const faultyText = "All is well.";

export interface FaultyRequest {
  path: string;
  /** names in lower case */
  headers: Record<string, string>;
  /** as it came */
  body: string;
}

export interface FaultyProvider {
  /** Base URL for a credential of that provider: `openai`, `anthropic`, `google`, or any compatible one. */
  url(provider: string): string;
  /** What every request from now on meets. */
  setMode(mode: FaultyMode): void;
  /** Every request so far, oldest first. */
  requests(): FaultyRequest[];
  clear(): void;
  stop(): Promise<void>;
}

type Wire = StrictWire | "images" | "speech";

const mediaWireOf = (path: string): Wire => {
  if (path.includes("/images/")) return "images";
  return path.includes("/audio/speech") ? "speech" : "compatible";
};

/** The envelope of a success; null stands for no content. */
function envelopeOf(wire: Wire, text: string | null): unknown {
  const tokens = { inputTokens: 12, outputTokens: text === null ? 0 : 5 };
  if (wire !== "images")
    return answerAt(wire === "speech" ? "compatible" : wire, { text, ...tokens });
  return {
    created: 1,
    data: text === null ? [] : [{ b64_json: png }],
    usage: { input_tokens: tokens.inputTokens, output_tokens: tokens.outputTokens },
  };
}

function errorOf(wire: Wire, status: number, message: string): unknown {
  if (wire === "anthropic") return { type: "error", error: { type: "error", message } };
  if (wire === "google") return { error: { code: status, message, status: "FAILED" } };
  return { error: { message, type: "error", param: message, code: "failed" } };
}

/**
 * Starts it on a random port of 127.0.0.1, in mode `fine`.
 * @param options.slowMs how long mode `slow` takes, in ms; 5,000 unless told
 * @param options.says what `fine` and `slow` say to a body; `faultyText` unless told
 * @example
 * const faulty = await startFaultyProvider();
 * faulty.setMode("rate-limited");
 * // a credential with baseUrl faulty.url("openai") now meets a 429
 * await faulty.stop();
 */
export async function startFaultyProvider(
  options: { slowMs?: number; says?: (body: string) => string } = {},
): Promise<FaultyProvider> {
  let mode: FaultyMode = "fine";
  let seen: FaultyRequest[] = [];
  const timers = new Set<NodeJS.Timeout>();

  const answer = (wire: Wire, request: FaultyRequest, response: ServerResponse): void => {
    const echo = `${JSON.stringify(request.headers)} ${request.body}`;
    const json = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      sendJson(response, status, body);
    };
    const succeed = (text: string | null): void => {
      if (wire !== "speech") return json(200, envelopeOf(wire, text));
      response.writeHead(200, { "content-type": "audio/wav" });
      response.end(text === null ? "" : Buffer.from(wav, "base64"));
    };
    const proper = options.says?.(request.body) ?? faultyText;
    const fail = (status: number, headers: Record<string, string> = {}): void =>
      json(status, errorOf(wire, status, `Failed for ${echo}`), headers);
    switch (mode) {
      case "unauthorized": {
        const key = request.headers["authorization"] ?? request.headers["x-api-key"];
        return fail(401, { "x-echo": key ?? request.headers["x-goog-api-key"] ?? "" });
      }
      case "rate-limited":
        return fail(429, { "retry-after": "7" });
      case "rejected":
        return fail(400);
      case "unknown-model":
        return fail(404);
      case "broken":
        response.writeHead(500, { "content-type": "text/html" });
        response.end(`<html><body>Internal error: ${echo}</body></html>`);
        return;
      case "reset":
        response.destroy();
        return;
      case "cut":
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
        response.write(`{"choices": [`, () => response.destroy());
        return;
      case "garbage":
        response.writeHead(200, { "content-type": "application/json" });
        response.end(`not json at all: ${echo}`);
        return;
      case "misshapen":
        return json(200, { choices: echo, content: echo, candidates: echo, output: echo });
      case "unrelated":
        return json(200, { message: echo });
      case "empty":
        return succeed(null);
      case "silent":
        response.writeHead(200, { "content-type": "application/json" });
        response.end();
        return;
      case "fine":
        return succeed(proper);
      case "slow": {
        const timer = setTimeout(() => {
          timers.delete(timer);
          succeed(proper);
        }, options.slowMs ?? 5_000);
        timers.add(timer);
      }
    }
  };

  const server = await startWireServer({
    receives: ({ path, headers, bytes }) =>
      void seen.push({ path, headers, body: bytes.toString() }),
    answers({ path, headers, bytes, wire }, response) {
      answer(wire ?? mediaWireOf(path), { path, headers, body: bytes.toString() }, response);
    },
  });

  return {
    url: (provider) => server.url(provider),
    setMode: (next) => {
      mode = next;
    },
    requests: () => [...seen],
    clear: () => {
      seen = [];
    },
    stop: async () => {
      for (const timer of timers) clearTimeout(timer);
      await server.stop();
    },
  };
}
