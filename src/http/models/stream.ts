import type { JsonObject } from "../../domain/json.ts";
import type { ClientBody } from "../../domain/ports/client-answer.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { partsOf, type StreamPart, type StreamReader } from "../../domain/sampling/stream-parts.ts";
import { createClientStream, type ClientStream } from "../../mcp/sse/client-stream.ts";
import type { EndedCall } from "../../pipeline/sampling/states/states.ts";
import type { EventWriter } from "./event-writer.ts";

/** Seconds without a word after which the connection is kept open by one. */
const silentTicks = 15;

export interface StreamedAnswer {
  headers: Record<string, string>;
  content: ClientBody;
}

interface Writing {
  events: EventWriter;
  errorBody: (refusal: Refusal) => JsonObject;
  report: (thrown: unknown) => void;
}

export interface StreamedCall {
  reader: StreamReader;
  abandon(): void;
  /**
   * Resolves when content has come, or the client has waited for long. `refused`: the call ended before.
   * @param run `left`: aborted when the client has left
   */
  open(
    run: (left: AbortSignal) => Promise<EndedCall>,
    writing: Writing,
  ): Promise<
    | { refused: Refusal }
    | {
        content: ClientBody;
        model: string | null;
        /** the events are the provider's own */
        passes: boolean;
      }
  >;
}

const eventsOf = (text: string): StreamPart => ({
  type: "event",
  bytes: new TextEncoder().encode(text),
  shows: "content",
  text: "",
});

async function finish(
  running: Promise<EndedCall>,
  {
    reader,
    stream,
    hasBegun,
    isPassed,
    events,
    errorBody,
    report,
  }: Writing & {
    reader: StreamReader;
    stream: ClientStream;
    hasBegun: () => boolean;
    isPassed: () => boolean;
  },
): Promise<void> {
  try {
    const { outcome } = await running;
    if (!outcome.ok) return stream.end(events.fail(errorBody(outcome.error)));
    const { answer, decision } = outcome.value;
    // A repetition, or an answer that a person approved, comes whole.
    if (!hasBegun()) {
      const { model, passed } = answer;
      const passes = passed !== undefined;
      reader.begins({ model, inputTokens: decision.usage.inputTokens, passes });
      const parts = passes ? [eventsOf(passed)] : partsOf(answer.content);
      for (const part of parts) await reader.take(part);
    }
    stream.end(isPassed() ? "" : events.end(outcome.value));
  } catch (thrown) {
    report(thrown);
    stream.end(events.fail(errorBody({ reason: "internal" })));
  }
}

export function streamedCall(client: AbortSignal): StreamedCall {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  client.addEventListener("abort", leave, { once: true });
  if (client.aborted) leave();
  const opened = Promise.withResolvers<"open">();
  let writing: Writing | null = null;
  let model: string | null = null;
  let passes = false;
  let isFull = false;
  const stream = createClientStream({
    silentTicks: () => silentTicks,
    beforeComment() {
      opened.resolve("open");
      if (model === null || writing === null) return true;
      // What a slow reader has still to take keeps its connection open.
      if (!isFull) void stream.write(writing.events.keepAlive());
      return false;
    },
    left: leave,
    ended: () => client.removeEventListener("abort", leave),
  });
  const content = stream.open();
  const reader: StreamReader = {
    begins(about) {
      ({ model, passes } = about);
      opened.resolve("open");
      if (!passes) void stream.write(writing?.events.begin(about) ?? "");
    },
    async take(part) {
      const text = part.type === "event" ? part.bytes : (writing?.events.part(part) ?? "");
      if (text.length === 0) return;
      isFull = true;
      await stream.write(text);
      isFull = false;
    },
  };
  return {
    reader,
    abandon: stream.abandon,
    async open(run, how) {
      writing = how;
      const running = run(leaving.signal);
      const first = await Promise.race([opened.promise, running]).catch((thrown: unknown) => {
        stream.abandon();
        throw thrown;
      });
      if (first !== "open" && !first.outcome.ok) {
        stream.abandon();
        return { refused: first.outcome.error };
      }
      const state = { hasBegun: () => model !== null, isPassed: () => passes };
      void finish(running, { ...how, reader, stream, ...state });
      return { content, passes, model: model ?? (first === "open" ? null : modelOf(first)) };
    },
  };
}

const modelOf = ({ outcome }: EndedCall): string | null =>
  outcome.ok ? outcome.value.answer.model : null;
