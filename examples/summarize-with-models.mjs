// The tool of `summarize-server.mjs` without sampling: it calls a model through the router's model endpoints.
//
//   npm install openai
//   export OPENAI_BASE_URL=http://127.0.0.1:8787/v1 OPENAI_API_KEY=<a key with the scope models>
//   node examples/summarize-with-models.mjs "A text to summarize."
import OpenAI from "openai";

const models = new OpenAI();

export async function summarize(text) {
  const answer = await models.chat.completions.create(
    {
      model: "auto",
      max_completion_tokens: 200,
      messages: [{ role: "user", content: `Summarize: ${text}` }],
    },
    { headers: { "X-Router-Hints": "haiku, mini", "X-Router-Priorities": "cost=0.8" } },
  );
  return answer.choices[0].message.content;
}

console.log(await summarize(process.argv[2]));
