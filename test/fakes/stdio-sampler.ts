/** A server written with SDK v2 that speaks over stdio in both eras. Its tools sample; one asks for a name too. */
import { inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const asking = (text: string) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  maxTokens: 50,
});
const says = (value: unknown) => ({
  content: [{ type: "text" as const, text: JSON.stringify(value) }],
});
const inputSchema = z.object({ text: z.string() });

serveStdio(({ era }) => {
  const server = new McpServer({ name: "stdio-sampler", version: "1" });
  server.registerTool("ask", { inputSchema }, async ({ text }, ctx) => {
    if (era === "legacy") return says(await ctx.mcpReq.requestSampling(asking(text)));
    const answer = ctx.mcpReq.inputResponses?.["answer"];
    if (answer !== undefined) return says(answer);
    return inputRequired({ inputRequests: { answer: inputRequired.createMessage(asking(text)) } });
  });
  server.registerTool("ask_both", { inputSchema }, async ({ text }, ctx) => {
    const given = ctx.mcpReq.inputResponses;
    if (given?.["name"] !== undefined) return says(given);
    return inputRequired({
      inputRequests: {
        answer: inputRequired.createMessage(asking(text)),
        name: inputRequired.elicit({
          message: "Your name?",
          requestedSchema: { type: "object", properties: { name: { type: "string" } } },
        }),
      },
    });
  });
  return server;
});
