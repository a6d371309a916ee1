/** What a server says to one request, on its way to a client of the other era. */
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import type { Heard } from "../../mcp/translate/heard.ts";
import { sseMessageText } from "../../mcp/sse/write.ts";
import { conclude, type ClientSide } from "../client-side.ts";
import { streamsAnswer } from "../media-type.ts";
import { bytesOf, eventsOf, tooLarge } from "../modern/relay.ts";

export interface Bridging {
  side: ClientSide;
  /** What the client hears of a message, JSON text. */
  hear(message: string): Heard;
  /** as an HTTP response */
  refuse(refusal: Refusal): Promise<Response>;
  /** as the JSON-RPC error of a stream, JSON text */
  refusalText(refusal: Refusal): string;
  /** the HTTP status of a JSON answer, from the server's */
  statusOf(status: number): number;
  /** the client has left, and that means something in its era */
  gone: AbortSignal | null;
}

export const refuseTo = (bridging: Bridging, refusal: Refusal): Promise<void> =>
  conclude(bridging.side, {
    text: () => bridging.refusalText(refusal),
    whole: () => bridging.refuse(refusal),
  });

/** The response to the request, JSON text. */
export const answerTo = ({ side }: Bridging, text: string, status: number): Promise<void> =>
  conclude(side, {
    text: () => text,
    whole: () => new Response(text, { status, headers: { "Content-Type": "application/json" } }),
  });

/** As `hear`, but never throws: what is no JSON is for nobody. */
function heardOf({ hear }: Bridging, message: string): Heard {
  try {
    return hear(message);
  } catch {
    return { kind: "nothing" };
  }
}

/** Says what is to be said of a stream; the refusal of what it failed to say. */
async function relayStream(bridging: Bridging, response: Response): Promise<Refusal | null> {
  const { side, gone } = bridging;
  side.begin({});
  const { segments } = eventsOf(response, { mayConcern: () => true, passes: () => false });
  for await (const segment of segments) {
    if (gone?.aborted === true) return null;
    if (segment.kind === "oversized") return serverFailed(tooLarge);
    if (segment.kind !== "event") continue;
    const heard = heardOf(bridging, segment.data);
    if (heard.kind === "nothing") continue;
    if (heard.kind === "refused") return heard.refusal;
    await side.write(sseMessageText(heard.text));
    if (heard.kind === "answer") {
      side.end();
      return null;
    }
  }
  return serverFailed("Its stream ended without an answer.");
}

async function relayBody(bridging: Bridging, response: Response): Promise<Refusal | null> {
  const bytes = await bytesOf(response);
  if (bytes === null) return serverFailed(tooLarge);
  const heard = heardOf(bridging, new TextDecoder().decode(bytes));
  if (heard.kind === "refused") return heard.refusal;
  if (heard.kind !== "answer")
    return serverFailed("Its answer is no JSON-RPC response.", response.status);
  await answerTo(bridging, heard.text, bridging.statusOf(response.status));
  return null;
}

export async function relayHeard(bridging: Bridging, response: Response): Promise<void> {
  const refusal = await (streamsAnswer(response) ? relayStream : relayBody)(
    bridging,
    response,
  ).catch(() => serverFailed("Its answer broke off.", response.status));
  if (refusal !== null) await refuseTo(bridging, refusal);
}
