/** A provider on loopback that answers as every wire does, and keeps what it was sent. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../src/domain/json.ts";
import type { StrictWire } from "./strict-wires.ts";
import { answerAt, type Said } from "./wire-answers.ts";
import { errorEventAt, eventsAt, type Broken } from "./wire-streams.ts";
import { sendJson, startWireServer } from "./wire-server.ts";

export interface Refused {
  status: number;
  body: unknown;
}

/** A stream, and what becomes of it after so many of its events. */
export interface Streamed extends Said {
  breaks?: { after: number; how: Broken };
  /** awaited before each event, before the break in its place, and before the end, by position */
  pace?: (at: number) => Promise<void>;
}

export interface RecordingProvider {
  url(provider: string): string;
  /** bodies, oldest first */
  sent(): JsonObject[];
  /** What the next requests meet, in turn; the last one stays. */
  says(...turns: (Streamed | Refused)[]): void;
  /** requests whose client hung up before their stream had ended */
  hungUp(): number;
  stop(): Promise<void>;
}

export async function sendStream(
  { wire, response }: { wire: StrictWire; response: ServerResponse },
  { breaks, pace, ...said }: Streamed,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  const events = eventsAt(wire, said);
  for (const [at, event] of events.entries()) {
    await pace?.(at);
    if (response.destroyed) return;
    if (at === breaks?.after) {
      if (breaks.how === "stall") return;
      if (breaks.how === "cut") return void response.destroy();
      if (breaks.how === "error") response.write(errorEventAt(wire));
      if (breaks.how === "garbage") response.write('event: x\ndata: {"half": \n\n');
      return void response.end();
    }
    if (!response.write(event)) await once(response, "drain").catch(() => undefined);
  }
  await pace?.(events.length);
  response.end();
}

/** Starts it on a random port of 127.0.0.1. It answers "Fine." unless a test sets another answer. */
export async function startRecordingProvider(): Promise<RecordingProvider> {
  let turns: (Streamed | Refused)[] = [{}];
  let hungUp = 0;
  let bodies: JsonObject[] = [];
  const server = await startWireServer({
    receives: ({ json }) => void bodies.push(json),
    async answers({ wire, json, path }, response) {
      const turn = turns.length > 1 ? (turns.shift() ?? {}) : (turns[0] ?? {});
      if ("status" in turn) sendJson(response, turn.status, turn.body);
      else if (json["stream"] === true || path.includes(":streamGenerateContent")) {
        response.once("close", () => void (hungUp += response.writableFinished ? 0 : 1));
        await sendStream({ wire: wire ?? "compatible", response }, turn);
      } else sendJson(response, 200, answerAt(wire ?? "compatible", turn));
    },
  });
  return {
    ...server,
    sent: () => [...bodies],
    hungUp: () => hungUp,
    says(...next) {
      turns = next;
      bodies = [];
    },
  };
}
