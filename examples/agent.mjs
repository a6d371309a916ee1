// An agent: the model asks for tools, the agent runs them, until the model has an answer. Its API key has a
// budget, which the router keeps. When the budget is spent, the agent says so and ends with 3.
//
//   node examples/agent.mjs QUESTION
//   SAMPLING_ROUTER_URL: where the router is; SAMPLING_ROUTER_KEY: an API key with the scope `sampling`
import { hostedSampling, SamplingError } from "mcp-sampling-router/server";

const [question] = process.argv.slice(2);
const { SAMPLING_ROUTER_URL: url, SAMPLING_ROUTER_KEY: key } = process.env;
if (question === undefined || url === undefined || key === undefined) {
  console.error("usage: node examples/agent.mjs QUESTION");
  console.error("SAMPLING_ROUTER_URL and SAMPLING_ROUTER_KEY must be set.");
  process.exit(2);
}

const tools = {
  count_boxes: {
    description: "Counts the boxes in the store room.",
    inputSchema: { type: "object" },
    run: () => "12 boxes",
  },
};
const offered = Object.entries(tools).map(([name, { description, inputSchema }]) => ({
  name,
  description,
  inputSchema,
}));
const maxRounds = 5;
const sampling = hostedSampling({ url, key, mode: "router" });

/** What a model's message holds, as a list. */
const blocksOf = ({ content }) => (Array.isArray(content) ? content : [content]);

function resultOf({ id, name }) {
  const known = Object.hasOwn(tools, name);
  const text = known ? tools[name].run() : `There is no tool ${name}.`;
  console.log(`tool ${name}: ${text}`);
  return {
    type: "tool_result",
    toolUseId: id,
    content: [{ type: "text", text }],
    isError: !known,
  };
}

async function answer() {
  const messages = [{ role: "user", content: { type: "text", text: question } }];
  let costUsd = 0;
  for (let round = 1; round <= maxRounds; round += 1) {
    // The first round must look, and the last one must answer.
    const mode = round === 1 ? "required" : round === maxRounds ? "none" : "auto";
    const said = await sampling.createMessage({
      messages,
      maxTokens: 300,
      tools: offered,
      toolChoice: { mode },
    });
    costUsd += said._meta["sampling-router/decision"].costUsd ?? 0;
    const uses = blocksOf(said).filter(({ type }) => type === "tool_use");
    if (uses.length === 0) {
      for (const block of blocksOf(said)) if (block.type === "text") console.log(block.text);
      console.log(`${round} rounds, ${costUsd} USD`);
      return;
    }
    messages.push({ role: "assistant", content: said.content });
    messages.push({ role: "user", content: uses.map(resultOf) });
  }
}

try {
  await answer();
} catch (error) {
  const spent = ["budget_exceeded", "rate_limited"];
  if (!(error instanceof SamplingError) || !spent.includes(error.reason)) throw error;
  console.log(`The agent stops: ${error.message} More in ${error.retryAfterMs / 1000} s.`);
  process.exitCode = 3;
}
