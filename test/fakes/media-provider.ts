/**
 * A provider on loopback that draws and speaks: OpenAI's images (new and edited) and speech, and Gemini's
 * `generateContent` with images and samples. As strict as the real ones about what they don't know.
 */
import type { ServerResponse } from "node:http";
import { mp3Of, pngOf, toneOf, wavFileOf } from "../fixtures/media/files.ts";
import { startWireServer } from "./wire-server.ts";

export const mediaModes = [
  "fine",
  /** an answer without any count of tokens */
  "uncounted",
  /** text, whatever was asked for */
  "words",
  /** an image that is text, speech that is JSON; both said to be the right type */
  "mislabelled",
  /** almost as much as can be carried */
  "large",
  /** more than anybody can carry, and its length is told */
  "huge",
  /** the same, without an end in sight */
  "endless",
  /** a link to an image on another host */
  "link",
] as const;
export type MediaMode = (typeof mediaModes)[number];

/** Of what it makes. */
export const drawn = { width: 24, height: 16, colour: [200, 30, 60] as [number, number, number] };
export const spoken = { seconds: 0.25, sampleRate: 24_000, mp3Frames: 10 };
export const words = "A red field.";
/** Tokens. */
export const imageUsage = { input: 50, imageInput: 30, output: 1_056 };
export const geminiUsage = { input: 9, output: 1_300, image: 1_290 };

export interface MediaRequest {
  path: string;
  /** names in lower case */
  headers: Record<string, string>;
  /** as it came, in latin1: a form holds bytes */
  body: string;
}

export interface MediaProvider {
  /** Base URL for a credential of that provider. */
  url(provider: string): string;
  setMode(mode: MediaMode): void;
  /** Every request so far, oldest first. */
  requests(): MediaRequest[];
  clear(): void;
  stop(): Promise<void>;
}

type Json = Record<string, unknown>;

const png = pngOf(drawn.width, drawn.height, drawn.colour);
const largePng = pngOf(drawn.width, drawn.height, drawn.colour, 7.5 * 1024 * 1024);
const tone = toneOf(spoken.seconds, spoken.sampleRate);
const hugeBytes = 20 * 1024 * 1024;

const knownInImages = new Set([
  "model",
  "prompt",
  "n",
  "size",
  "quality",
  "background",
  "output_format",
  "user",
]);
const knownInSpeech = new Set([
  "model",
  "input",
  "voice",
  "response_format",
  "speed",
  "instructions",
]);

function audioOf(format: unknown): { type: string; bytes: Buffer } | null {
  if (format === "wav") return { type: "audio/wav", bytes: wavFileOf(tone, spoken.sampleRate) };
  return format === "mp3" ? { type: "audio/mpeg", bytes: mp3Of(spoken.mp3Frames) } : null;
}

/** Starts it on a random port of 127.0.0.1, in mode `fine`. */
export async function startMediaProvider(): Promise<MediaProvider> {
  let mode: MediaMode = "fine";
  let seen: MediaRequest[] = [];

  const json = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  const refuse = (response: ServerResponse, message: string): void =>
    json(response, 400, { error: { message, type: "invalid_request_error" } });

  const flood = (response: ServerResponse, type: string): void => {
    response.writeHead(200, {
      "content-type": type,
      ...(mode === "huge" ? { "content-length": String(hugeBytes) } : {}),
    });
    const piece = Buffer.alloc(256 * 1024, "A");
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  };

  const images = (response: ServerResponse): void => {
    if (mode === "huge" || mode === "endless") return flood(response, "application/json");
    const bytes = mode === "large" ? largePng : mode === "mislabelled" ? Buffer.from(words) : png;
    const image =
      mode === "link"
        ? { url: "https://images.example/image.png" }
        : { b64_json: bytes.toString("base64") };
    json(response, 200, {
      created: 1,
      data: mode === "words" ? [] : [image],
      output_format: "png",
      ...(mode === "uncounted"
        ? {}
        : {
            usage: {
              input_tokens: imageUsage.input,
              output_tokens: imageUsage.output,
              total_tokens: imageUsage.input + imageUsage.output,
              input_tokens_details: {
                image_tokens: imageUsage.imageInput,
                text_tokens: imageUsage.input - imageUsage.imageInput,
              },
            },
          }),
    });
  };

  const speech = (body: Json, response: ServerResponse): void => {
    const unknown = Object.keys(body).find((key) => !knownInSpeech.has(key));
    const audio = audioOf(body["response_format"]);
    if (unknown !== undefined) return refuse(response, `Unknown parameter: '${unknown}'.`);
    if (audio === null) return refuse(response, "Unknown response_format.");
    if (typeof body["input"] !== "string" || body["input"] === "")
      return refuse(response, "Nothing to say.");
    if (String(body["model"]).startsWith("tts-1") && "instructions" in body)
      return refuse(response, "This model takes no instructions.");
    if (mode === "huge" || mode === "endless") return flood(response, audio.type);
    response.writeHead(200, { "content-type": audio.type });
    response.end(mode === "words" || mode === "mislabelled" ? `{"said": "${words}"}` : audio.bytes);
  };

  const gemini = (body: Json, response: ServerResponse): void => {
    if (mode === "huge" || mode === "endless") return flood(response, "application/json");
    const settings = (body["generationConfig"] ?? {}) as Json;
    const wanted = (settings["responseModalities"] ?? ["TEXT"]) as string[];
    if (settings["responseMimeType"] === "application/json")
      return refuse(response, "JSON mode is not enabled for this model.");
    const data = (mode === "mislabelled" ? Buffer.from(words) : png).toString("base64");
    const parts: Json[] = [];
    if (wanted.includes("TEXT") || mode === "words") parts.push({ text: words });
    if (mode !== "words") {
      // The MIME type in the answer is wrong on purpose: the bytes say the right one.
      if (wanted.includes("IMAGE")) parts.push({ inlineData: { mimeType: "image/jpeg", data } });
      if (wanted.includes("AUDIO"))
        parts.push({
          inlineData: {
            mimeType: `audio/L16;codec=pcm;rate=${spoken.sampleRate}`,
            data: tone.toString("base64"),
          },
        });
    }
    const { input, output, image } = geminiUsage;
    json(response, 200, {
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
      ...(mode === "uncounted"
        ? {}
        : {
            usageMetadata: {
              promptTokenCount: input,
              candidatesTokenCount: output,
              totalTokenCount: input + output,
              ...(wanted.includes("IMAGE")
                ? { candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: image }] }
                : {}),
            },
          }),
    });
  };

  const answer = ({ path, body }: MediaRequest, response: ServerResponse): void => {
    if (path === "/v1/images/edits") return images(response);
    const parsed = JSON.parse(Buffer.from(body, "latin1").toString("utf8")) as Json;
    if (path === "/v1/images/generations") {
      // GPT Image has no `response_format`; compatible endpoints answer with a link without one.
      const gpt = String(parsed["model"]).startsWith("gpt-image");
      if (!gpt && parsed["response_format"] !== "b64_json") mode = "link";
      const unknown = Object.keys(parsed).find(
        (key) => !knownInImages.has(key) && (gpt || key !== "response_format"),
      );
      if (unknown !== undefined) return refuse(response, `Unknown parameter: '${unknown}'.`);
      return images(response);
    }
    if (path === "/v1/audio/speech") return speech(parsed, response);
    if (path.includes(":generateContent")) return gemini(parsed, response);
    return json(response, 404, { error: { message: "No such endpoint." } });
  };

  const server = await startWireServer({
    receives: ({ path, headers, bytes }) =>
      void seen.push({ path, headers, body: bytes.toString("latin1") }),
    answers({ path, headers, bytes }, response) {
      answer({ path, headers, body: bytes.toString("latin1") }, response);
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
      await server.stop();
    },
  };
}
