/** Servers of either era, of the official SDKs, whose tools ask and tell what a client of the other era may get. */
import type { McpServer as LegacyServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { startSdkServer as startLegacy } from "./mcp-servers.ts";
import { startSdkServer as startModern } from "./sdk-server.ts";

const says = (text: string) => ({ content: [{ type: "text" as const, text }] });
const inputSchema = { q: z.string() };
const logged = ["debug", "warning", "error"] as const;

function legacyTools(server: LegacyServer): void {
  server.server.registerCapabilities({ logging: {} });
  server.registerTool("logs", { inputSchema }, async ({ q }, extra) => {
    for (const level of logged)
      await extra.sendNotification({
        method: "notifications/message",
        params: { level, data: q },
      });
    return says("logged");
  });
}

function modernServer(): McpServer {
  const server = new McpServer({ name: "modern", version: "2" }, { capabilities: { logging: {} } });
  server.registerTool("logs", { inputSchema: z.object(inputSchema) }, async ({ q }, ctx) => {
    for (const level of logged) await ctx.mcpReq.log(level, q);
    return says("logged");
  });
  return server;
}

export const startLegacyServer = () => startLegacy({ build: legacyTools });
export const startModernServer = () => startModern(modernServer);
