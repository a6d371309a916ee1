/** A server of both eras for the official conformance suite: legacy with sessions that can be resumed. */
import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { conformanceSurface } from "./conformance-surface.ts";
import { createEventStore } from "./mcp-servers.ts";
import { listenWith, type SdkServer } from "./sdk-server.ts";

/** `legacy`, `modern`: of that era alone. */
export async function startConformanceServer(
  eras: "both" | "legacy" | "modern" = "both",
): Promise<SdkServer> {
  const modern = createMcpHandler(() => conformanceSurface(modern.notify), { legacy: "reject" });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  async function begin(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      retryInterval: 100,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await conformanceSurface(modern.notify).connect(transport);
    return transport;
  }

  async function legacy(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? await begin() : sessions.get(id);
    return known?.handleRequest(request) ?? new Response("no such session", { status: 404 });
  }

  const listening = await listenWith(async (request) => {
    const foreign =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (foreign !== undefined) return foreign;
    const isLegacy = eras === "both" ? await isLegacyRequest(request) : eras === "legacy";
    return isLegacy ? legacy(request) : modern.fetch(request);
  });
  return {
    ...listening,
    async stop() {
      await Promise.all([listening.stop(), modern.close()]);
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
    },
  };
}
