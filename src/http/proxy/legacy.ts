/** The legacy era through the proxy. */
import { requestsIn } from "../../mcp/proxy/message.ts";
import { returnedHeaders } from "../../pipeline/upstream.ts";
import type { Services } from "../context.ts";
import { refuse, type ProxyArrived } from "./arrived.ts";

/** ms until a server's headers: it may hold them back until a tool has ended. */
const headersMs = 300_000;

export async function proxyLegacy(services: Services, arrived: ProxyArrived): Promise<Response> {
  const { server, method, headers, authorization, bytes } = arrived;
  const [request] = arrived.body === null ? [] : requestsIn(arrived.body);
  const response = await services.upstream({
    server,
    method,
    headers,
    authorization,
    body: method === "POST" ? bytes : null,
    signal: arrived.left,
    timeoutMs: headersMs,
  });
  if (!response.ok)
    return refuse(response.error, { id: request?.id ?? null, requestId: arrived.requestId });
  return new Response(response.value.body, {
    status: response.value.status,
    headers: returnedHeaders(response.value.headers),
  });
}
