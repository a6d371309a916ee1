/** One streamed call whose events pass unchanged. They are observed for the first content, the usage, and the end. */
import type { ProviderFault } from "../domain/attempts.ts";
import { readBounded } from "../domain/bounded-body.ts";
import { concatenated } from "../domain/bytes.ts";
import { parsedJson } from "../domain/json.ts";
import { asksForUsage } from "../domain/passing.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { ProviderAnswer } from "../domain/sampling/providers.ts";
import type { Shows, StreamPart, TakePart } from "../domain/sampling/stream-parts.ts";
import { maxErrorBytes } from "./bounded.ts";
import { createEventBytes, dataOf, eventsIn } from "./event-bytes.ts";
import { answerTooLarge, faultContext, faultOf } from "./faults.ts";
import { reportMessage } from "./message.ts";
import {
  failureOf,
  pinToCredential,
  sendPassed,
  type PassDeps,
  type PassthroughRequest,
} from "./passed.ts";
import { readPassedAnswer } from "./passed-answer.ts";
import { createObserver, chatEndMarker, type StreamObserver } from "./passed-observer.ts";
import { brokenOffFault, faultOfEvent } from "./stream-faults.ts";
import { maxStreamBytes } from "./stream-body.ts";
import { countedInput } from "./usage.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Maximum bytes of a stream that is stored for repeated requests or for approval. */
const maxKeptBytes = 1024 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Batch {
  /** `counted` before the events where the input was counted */
  parts: StreamPart[];
  /** the last event that was read is invalid JSON */
  isGarbled: boolean;
  /** the provider sends no events after these */
  isLast: boolean;
}

/** Events of one chunk, as one part. An error event and the events after it are not passed on. */
function partsOfEvents(
  bytes: Bytes,
  { observer, holdsUsage }: { observer: StreamObserver; holdsUsage: boolean },
): Batch {
  const parts: StreamPart[] = [];
  const events = eventsIn(decoder.decode(bytes));
  const kept: string[] = [];
  let shows: Shows = "nothing";
  let text = "";
  let [isGarbled, isLast] = [false, false];
  for (const event of events) {
    const data = dataOf(event);
    if (data !== null) {
      const value = parsedJson(data);
      isGarbled = value === undefined && data.trim() !== chatEndMarker;
      const input = countedInput(value);
      if (input !== null) parts.push({ type: "counted", input });
      const seen = observer.add(value, data);
      if (isGarbled || observer.failure() !== undefined) break;
      if (seen.isUsageChunk === true && holdsUsage) continue;
      isLast ||= seen.isLast === true;
      text += seen.text;
      if (shows === "nothing" || seen.shows === "content") shows = seen.shows;
    }
    kept.push(event);
  }
  const given = kept.length === events.length ? bytes : encoder.encode(kept.join(""));
  if (given.byteLength > 0) parts.push({ type: "event", bytes: given, shows, text });
  return { parts, isGarbled, isLast };
}

/** Stores a stream for repeated requests. */
function createRecording() {
  let pieces: Bytes[] = [];
  let size = 0;
  return {
    add(piece: Bytes) {
      size += piece.byteLength;
      if (size > maxKeptBytes) pieces = [];
      else pieces.push(piece);
    },
    /** `undefined` if the stream is too long to store */
    text: (): string | undefined =>
      size > maxKeptBytes ? undefined : decoder.decode(concatenated(pieces)),
  };
}

const isEventStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true;

/** ms that a body may take to end after the provider's last event. */
const endMs = 1_000;

/** The connection can be used again if its body has been read to the end. */
async function readEnd(
  reader: ReadableStreamDefaultReader<Bytes>,
  after: NonNullable<PassDeps["after"]>,
): Promise<void> {
  const disarm = after(endMs, () => void reader.cancel().catch(() => undefined));
  try {
    for (let { done } = await reader.read(); !done;) ({ done } = await reader.read());
  } catch {
    // The answer is complete.
  } finally {
    disarm();
  }
}

/** Reads up to the provider's last event or an error event. */
async function readEvents(
  body: ReadableStream<Bytes>,
  {
    observer,
    holdsUsage,
    take,
    after,
  }: {
    observer: StreamObserver;
    holdsUsage: boolean;
    take: TakePart;
    after: PassDeps["after"];
  },
): Promise<void> {
  const reader = body.getReader();
  const wholeEvents = createEventBytes();
  let size = 0;
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.byteLength;
      if (size > maxStreamBytes) throw answerTooLarge("text");
      const events = wholeEvents(value);
      if (events === null) continue;
      const { parts, isGarbled, isLast } = partsOfEvents(events, { observer, holdsUsage });
      for (const part of parts) await take(part);
      if (isGarbled) throw new SyntaxError("An event of the stream isn't JSON.");
      // Clients leave once they have the last event, so the answer is complete by now.
      isOver = isLast && observer.failure() === undefined;
      if (isOver || observer.failure() !== undefined) return;
    }
  } finally {
    if (isOver && after !== undefined) void readEnd(reader, after);
    else void reader.cancel().catch(() => undefined);
  }
}

/** Never throws. */
export async function streamPassed(
  request: PassthroughRequest,
  take: TakePart,
  deps: PassDeps & { now: () => number },
): Promise<Result<ProviderAnswer, ProviderFault>> {
  const { passed, call } = request;
  const { endpoint, body } = passed;
  const context = faultContext(request, deps.now());
  const observer = createObserver(endpoint);
  const recording = createRecording();
  const read = () => readPassedAnswer(endpoint, observer.body(), call);
  const faultWith = (fault: ProviderFault): Result<ProviderAnswer, ProviderFault> =>
    err(observer.hasUsage() ? { ...fault, usage: read().usage } : fault);
  try {
    const { url, response } = await sendPassed(request, deps);
    if (response.status !== 200 || response.body === null || !isEventStream(response)) {
      const text = await readBounded(response.body, maxErrorBytes);
      throw failureOf(url, response, text === null ? null : decoder.decode(text));
    }
    const holdsUsage = endpoint === "chat.completions" && !asksForUsage(body);
    const recorded: TakePart = (part) => {
      if (part.type === "event") recording.add(part.bytes);
      return take(part);
    };
    await readEvents(response.body, {
      observer,
      holdsUsage,
      take: recorded,
      after: deps.after,
    });
  } catch (thrown) {
    reportMessage(thrown, request);
    return faultWith(faultOf(thrown, context));
  }
  const failure = observer.failure();
  if (failure !== undefined) return faultWith(faultOfEvent(failure, context));
  if (!observer.isEnded()) return faultWith(brokenOffFault(context));
  pinToCredential(request, observer.body(), deps.pins);
  const text = recording.text();
  const kept = text === undefined ? { isOversized: true as const } : { passed: text };
  return ok({ ...read(), notes: [], ...kept });
}
