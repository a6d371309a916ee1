/** Gemini's image models, which are language models asked for an image alone. */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ImageModel } from "./image.ts";

export const geminiImages = (model: LanguageModelV4): ImageModel => ({
  async doGenerate({ prompt = "", files = [], size, providerOptions, abortSignal }) {
    const parts = files.flatMap((file) =>
      file.type === "url"
        ? []
        : [{ ...file, type: "file" as const, data: { type: "data" as const, data: file.data } }],
    );
    const { content, usage, warnings } = await model.doGenerate({
      prompt: [{ role: "user", content: [{ type: "text", text: prompt }, ...parts] }],
      providerOptions: { google: { ...providerOptions["google"], responseModalities: ["IMAGE"] } },
      ...(abortSignal && { abortSignal }),
    });
    const images = content.flatMap((part) =>
      part.type === "file" && part.mediaType.startsWith("image/") && part.data.type === "data"
        ? [String(part.data.data)]
        : [],
    );
    const { inputTokens, outputTokens } = usage;
    return {
      images,
      warnings:
        size === undefined ? warnings : [...warnings, { type: "unsupported", feature: "size" }],
      usage: {
        inputTokens: inputTokens.total,
        outputTokens: outputTokens.total,
        totalTokens: undefined,
      },
    };
  },
});
