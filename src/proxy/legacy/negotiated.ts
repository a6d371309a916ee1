/** What client, router and server agreed on for one legacy stream: its revision, and what may be asked on it. */
import type { MessageHeaders } from "../../domain/servers/message-headers.ts";
import { isObject, own, type JsonObject } from "../../domain/json.ts";
import { modalities } from "../../domain/modality.ts";
import { featuresOf } from "../../domain/sampling/negotiation.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import type { Codec } from "../../mcp/codec.ts";
import { codecFor } from "../../mcp/era.ts";
import type { Declared } from "../../pipeline/sampling/choice/choose.ts";
import { advertisedByRevision } from "./advertise.ts";

/** A client that names no revision speaks this one (2025-06-18, "Protocol Version Header"). */
const unnamedRevision = "2025-03-26";
/** The first revision that has the header `MCP-Protocol-Version`. */
const firstWithHeader = "2025-06-18";

export interface Negotiated {
  revision: string;
  codec: Codec;
  /** the client's own capabilities, as the revision knows them */
  clientCapabilities: JsonObject;
  /** what the server may ask the router for */
  declared: Declared;
}

export function negotiatedOf(session: Session | null, headers: MessageHeaders): Negotiated {
  const revision = session?.revision ?? headers.get("MCP-Protocol-Version") ?? unnamedRevision;
  const codec = codecFor(revision) ?? codecFor(unnamedRevision);
  if (codec === null) throw new Error("no codec");
  const advertised = session === null ? advertisedByRevision(revision) : (session.told ?? {});
  const sampling = own(advertised, "sampling");
  return {
    revision,
    codec,
    clientCapabilities: codec.capabilitiesOf(session?.capabilities ?? {}),
    declared: {
      // No client sees the answer, so every modality counts as declared.
      capabilities: isObject(sampling)
        ? { sampling: { ...sampling, supportedModalities: [...modalities] } }
        : {},
      features: featuresOf(session?.capabilities ?? {}),
    },
  };
}

/** The headers of a POST by which the router answers a server in the client's place. */
export function answerHeaders(
  from: MessageHeaders,
  { revision, session }: { revision: string; session: Session | null },
): Headers {
  const headers = new Headers([...from]);
  for (const name of ["Last-Event-ID", "Mcp-Session-Id"]) headers.delete(name);
  headers.set("Content-Type", "application/json");
  headers.set("Accept", "application/json, text/event-stream");
  const upstreamId = session?.upstreamId ?? null;
  if (upstreamId !== null) headers.set("Mcp-Session-Id", upstreamId);
  if (!headers.has("MCP-Protocol-Version") && revision >= firstWithHeader)
    headers.set("MCP-Protocol-Version", revision);
  return headers;
}
