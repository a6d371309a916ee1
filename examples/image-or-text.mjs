// Asks for an image. Where no model of the tenant makes images, asks for a description instead.
//
//   node examples/image-or-text.mjs WHAT [FILE]     FILE: where an image goes, picture.png when absent
//   SAMPLING_ROUTER_URL: where the router is; SAMPLING_ROUTER_KEY: an API key with the scope `sampling`
import { writeFileSync } from "node:fs";
import { hostedSampling, SamplingError } from "mcp-sampling-router/server";

const [what, file = "picture.png"] = process.argv.slice(2);
const { SAMPLING_ROUTER_URL: url, SAMPLING_ROUTER_KEY: key } = process.env;
if (what === undefined || url === undefined || key === undefined) {
  console.error("usage: node examples/image-or-text.mjs WHAT [FILE]");
  console.error("SAMPLING_ROUTER_URL and SAMPLING_ROUTER_KEY must be set.");
  process.exit(2);
}
const sampling = hostedSampling({ url, key, mode: "router" });

async function ask(text, modality) {
  const { content } = await sampling.createMessage({
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 300,
    metadata: { "sampling-router/outputModalities": [modality] },
  });
  return Array.isArray(content) ? content : [content];
}

async function imageOrText() {
  try {
    return await ask(`Draw ${what}.`, "image");
  } catch (error) {
    // Nothing was called and nothing charged: the router knows what its models make.
    if (!(error instanceof SamplingError) || error.reason !== "no_eligible_model") throw error;
    console.log("No model makes images here. A description instead:");
    return ask(`Describe a picture of ${what}, in two sentences.`, "text");
  }
}

for (const block of await imageOrText())
  if (block.type === "image") {
    writeFileSync(file, Buffer.from(block.data, "base64"));
    console.log(`Wrote ${file} (${block.mimeType}).`);
  } else if (block.type === "text") console.log(block.text);
