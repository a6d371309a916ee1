/** Types and lengths of media are read from their bytes. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sniff } from "../../../src/domain/media-format.ts";
import type { AudioBlock, Block } from "../../../src/domain/sampling/call.ts";
import {
  base64Of,
  checkedBlocks,
  containedOf,
  maxMediaBytes,
  mediaBlockOf,
  secondsOf,
} from "../../../src/providers/media.ts";
import {
  decodeMp3,
  decodeWav,
  mp3Of,
  pngOf,
  toneOf,
  wavFileOf,
} from "../../fixtures/media/files.ts";

const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"));
const png = pngOf(2, 2, [1, 2, 3]);
const wav = wavFileOf(toneOf(0.5, 8_000), 8_000);

describe("a MIME type", () => {
  it.each([
    ["image/png", png],
    ["image/jpeg", latin1("\u00ff\u00d8\u00ff\u00e0..JFIF")],
    ["image/gif", latin1("GIF89a")],
    ["image/gif", latin1("GIF87a")],
    ["image/webp", latin1("RIFF....WEBPVP8 ")],
    ["audio/wav", wav],
    ["audio/ogg", latin1("OggS....")],
    ["audio/flac", latin1("fLaC....")],
    ["audio/mpeg", latin1("ID3\u0004....")],
    ["audio/mpeg", mp3Of(1)],
    ["audio/mpeg", latin1("\u00ff\u00f3\u0040\u00c4")],
    ["audio/aac", latin1("\u00ff\u00f1\u0050\u0080")],
    ["audio/aac", latin1("\u00ff\u00f9\u0050\u0080")],
  ])("%s is told by the first bytes", (type, bytes) => {
    expect(sniff(bytes)).toBe(type);
  });

  it.each([
    "",
    "R",
    "RIFF",
    "RIFF....AVI LIST",
    "<svg",
    "%PDF-1.7",
    "\u00ff\u00ff",
    "\u00ff\u00e1..",
    '{"a":1}',
  ])("is null for %j", (text) => {
    expect(sniff(latin1(text))).toBeNull();
  });

  it("is read from the bytes, in base64 or not", () => {
    const data = png.toString("base64");
    expect(mediaBlockOf(data)).toEqual({ type: "image", data, mimeType: "image/png" });
    expect(mediaBlockOf(new Uint8Array(png))).toEqual(mediaBlockOf(data));
  });

  it.each([
    "",
    "iVBORw0KGgo",
    "data:image/png;base64,iVBORw0KGgo=",
    "iVBO Rw0KGgo=",
    "iVBORw0KGgo=\n\n\n\n",
  ])("isn't looked for in what is no base64: %j", (text) => {
    expect(mediaBlockOf(text)).toBeNull();
  });

  it("never throws, and never calls text media", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.uint8Array(), fc.base64String()), (data) => {
        const block = mediaBlockOf(data);
        if (block !== null) expect(block.mimeType).toMatch(/^(image|audio)\//);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
        fc.pre(!/^(GIF8|RIFF|OggS|fLaC|ID3)/.test(text));
        expect(sniff(latin1(text))).toBeNull();
      }),
    );
  });
});

describe("base64", () => {
  it("is the base64 that Node makes of any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
        expect(base64Of(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      }),
      { numRuns: 30 },
    );
  });
});

describe("a length", () => {
  const audio = (bytes: Buffer, mimeType: string): AudioBlock => ({
    type: "audio",
    data: bytes.toString("base64"),
    mimeType,
  });

  it("of a WAV is its header's", () => {
    expect(secondsOf(audio(wav, "audio/wav"))).toBe(decodeWav(wav).seconds);
  });

  it("of an MP3 is its first frame's, tag or not", () => {
    const mp3 = mp3Of(100);
    const tag = Buffer.from("ID3\u0004\u0000\u0000\u0000\u0000\u0001\u0000", "latin1");
    const tagged = Buffer.concat([tag, Buffer.alloc(128), mp3]);
    const { seconds } = decodeMp3(mp3);
    for (const file of [mp3, tagged])
      expect(secondsOf(audio(file, "audio/mpeg"))).toBeCloseTo(seconds, 1);
  });

  it.each([
    ["audio/ogg", "OggS"],
    ["audio/wav", "RIFF....WAVE"],
    ["audio/wav", `RIFF....WAVE${"\u0000".repeat(40)}`],
    ["audio/mpeg", "ID3\u0004"],
    ["audio/mpeg", "\u00ff\u00fb\u00f0\u00c4"],
    ["audio/mpeg", "\u00ff\u00fb"],
  ])("of %s %j is unknown", (type, text) => {
    expect(secondsOf(audio(Buffer.from(text, "latin1"), type))).toBeNull();
  });
});

describe("raw samples", () => {
  it.each([
    ["audio/L16;codec=pcm;rate=16000", 16_000],
    ["audio/l16", 24_000],
    ["audio/pcm;rate=8000", 8_000],
  ])("of type %s become a WAV", (type, sampleRate) => {
    const tone = toneOf(0.25, sampleRate);
    for (const data of [tone.toString("base64"), new Uint8Array(tone)]) {
      const file = Buffer.from(base64Of(containedOf(data, type)), "base64");
      expect(file.equals(wavFileOf(tone, sampleRate))).toBe(true);
    }
  });

  it("are left alone where the type says none, or the data is no base64", () => {
    expect(containedOf("x", "audio/wav")).toBe("x");
    expect(containedOf("no base64!", "audio/L16")).toBe("no base64!");
  });
});

describe("an answer", () => {
  const image = (bytes: number): Block => ({
    type: "image",
    data: Buffer.alloc(bytes).toString("base64"),
    mimeType: "image/png",
  });
  const text: Block = { type: "text", text: "a" };
  const use: Block = { type: "tool_use", id: "1", name: "a", input: {} };

  it("may be as large as can be carried, all of it together", () => {
    const wanting = { outputModalities: ["image" as const] };
    const half = maxMediaBytes / 2;
    expect(checkedBlocks([image(half), image(half)], wanting).ok).toBe(true);
    expect(checkedBlocks([image(half), image(half + 1)], wanting)).toMatchObject({
      error: { kind: "malformed", retryable: false, billed: "maybe" },
    });
  });

  it("must hold the image and the audio that were asked for, but not the text", () => {
    expect(checkedBlocks([image(3)], { outputModalities: ["text", "image"] }).ok).toBe(true);
    expect(checkedBlocks([text], { outputModalities: ["text"] }).ok).toBe(true);
    expect(checkedBlocks([image(3)], { outputModalities: ["text"] }).ok).toBe(true);
    for (const blocks of [[], [text], [image(3)]])
      expect(checkedBlocks(blocks, { outputModalities: ["image", "audio"] })).toMatchObject({
        error: { kind: "empty", retryable: true },
      });
  });

  it("that wants a tool run first is not checked for media", () => {
    expect(checkedBlocks([use], { outputModalities: ["image"] }).ok).toBe(true);
  });
});
