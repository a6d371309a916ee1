/** An unreadable answer becomes `server_failed`, so that no request is left waiting. */
import { parsedJson } from "../domain/json.ts";
import { serverFailed, type Refusal } from "../domain/refusals.ts";
import { legacyWireOf, modernWireOf } from "../mcp/faults.ts";
import { isSameId, type RequestId } from "../mcp/json-text/exact-ids.ts";
import { errorMessage } from "../mcp/jsonrpc.ts";
import { certainIds, mayAnswer } from "../mcp/json-text/certain-id.ts";
import { createEventReader, type EventReader, type ServerSender } from "../mcp/sse/event-data.ts";
import type { Segment } from "../mcp/sse/segment.ts";
import type { Segments } from "../mcp/sse/segments.ts";
import { explainFault, type Fault } from "../mcp/json-text/message-reader.ts";
import { sseMessage } from "../mcp/sse/write.ts";
import type { ProxyServices } from "./services.ts";
import type { ClientReply } from "./client-reply.ts";

type Unreadable = Extract<Segment, { kind: "unreadable" }>;

export const unreadableAnswer = (fault: Fault): Refusal =>
  serverFailed(`Its answer is ${explainFault(fault)}.`);

const wires = { legacy: legacyWireOf, modern: modernWireOf };

export function createLosses(
  services: Pick<ProxyServices, "note">,
  options: {
    requestId: string;
    ids: readonly RequestId[];
    era: keyof typeof wires;
    sender?: ServerSender;
  },
) {
  const { requestId, ids, era, sender = "server" } = options;
  let answered = 0;
  let lost: Fault | null = null;

  const errorFor = (id: RequestId, fault: Fault): Record<string, unknown> => {
    const refusal = unreadableAnswer(fault);
    return errorMessage(id, refusal, wires[era](refusal).code, requestId);
  };
  const note = (fault: Fault): void => {
    const where = fault.kind === "ambiguous" ? { place: fault.place, key: fault.name } : {};
    services.note({ event: "unreadable", requestId, fault: fault.kind, ...where });
  };

  return {
    sender,
    note,
    read(isFirst: boolean): EventReader {
      const reader = createEventReader(isFirst, sender);
      return {
        ...reader,
        end() {
          const fault = reader.end();
          if (fault === null) answered += reader.answers();
          return fault;
        },
      };
    },
    mayAnswer: ({ whole }: Unreadable): boolean => whole === null || mayAnswer(whole.data),
    replace({ fault, bytes, whole }: Unreadable): Uint8Array<ArrayBuffer> {
      note(fault);
      const isJson = whole !== null && parsedJson(whole.data) !== undefined;
      // On a resumed stream, the waiting requests are unknown.
      const waits = (id: RequestId): boolean =>
        ids.length === 0 || ids.some((each) => isSameId(each, id));
      const errors = isJson
        ? certainIds(whole.data, "answer")
            .filter(waits)
            .map((id) => errorFor(id, fault))
        : [];
      const [first] = errors;
      if (whole === null || first === undefined) {
        lost ??= fault;
        return bytes;
      }
      answered += errors.length;
      return whole.withData(JSON.stringify(errors.length === 1 ? first : errors));
    },
    last(): string {
      const fault = lost;
      if (fault === null || answered >= ids.length) return "";
      return ids.map((id) => sseMessage(errorFor(id, fault))).join("");
    },
  };
}

export type Losses = ReturnType<typeof createLosses>;

/** Passes the rest of a stream unchanged. @param to `losses`: `null` if unread */
export async function passRest(
  segments: Segments,
  { client, losses }: { client: ClientReply; losses: Losses | null },
): Promise<void> {
  try {
    for await (const segment of segments) {
      if (segment.kind === "unreadable" && losses !== null)
        await client.write(losses.replace(segment));
      // Such an event asks to sample, which no client may see.
      else if (segment.kind === "event") await client.write(segment.rest);
      else if (segment.kind !== "oversized") await client.write(segment.bytes);
    }
    await client.write(losses?.last() ?? "");
  } catch {
    // The server's stream broke off, or the client has left.
  }
}
