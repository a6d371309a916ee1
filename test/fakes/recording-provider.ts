/** A provider on loopback that answers as every wire does, and keeps what it was sent. */
import type { JsonObject } from "../../src/domain/json.ts";
import { answerAt, type Said } from "./wire-answers.ts";
import { sendJson, startWireServer } from "./wire-server.ts";

export interface Refused {
  status: number;
  body: unknown;
}

export interface RecordingProvider {
  url(provider: string): string;
  /** bodies, oldest first */
  sent(): JsonObject[];
  /** What the next requests meet, in turn; the last one stays. */
  says(...turns: (Said | Refused)[]): void;
  stop(): Promise<void>;
}

/** Starts it on a random port of 127.0.0.1. It answers "Fine." unless a test sets another answer. */
export async function startRecordingProvider(): Promise<RecordingProvider> {
  let turns: (Said | Refused)[] = [{}];
  let bodies: JsonObject[] = [];
  const server = await startWireServer({
    receives: ({ json }) => void bodies.push(json),
    answers({ wire }, response) {
      const turn = turns.length > 1 ? (turns.shift() ?? {}) : (turns[0] ?? {});
      if ("status" in turn) sendJson(response, turn.status, turn.body);
      else sendJson(response, 200, answerAt(wire ?? "compatible", turn));
    },
  });
  return {
    ...server,
    sent: () => [...bodies],
    says(...next) {
      turns = next;
      bodies = [];
    },
  };
}
