/** The modern era through the proxy. */
import type { Services } from "../context.ts";
import { requestsIn } from "../../mcp/proxy/message.ts";
import { modernWireOf } from "../../mcp/faults.ts";
import { refuse, type ProxyArrived } from "./arrived.ts";

export function proxyModern(_services: Services, arrived: ProxyArrived): Promise<Response> {
  const [request] = arrived.body === null ? [] : requestsIn(arrived.body);
  return refuse(
    { reason: "invalid_request", detail: "This revision is not supported here yet." },
    { id: request?.id ?? null, requestId: arrived.requestId, wireOf: modernWireOf },
  );
}
