/** A part of an event stream, as the splitter hands it out. */
import type { Fault } from "../json-text/message-reader.ts";

export type Segment =
  /** bytes that go on as they are */
  | { kind: "bytes"; bytes: Uint8Array<ArrayBuffer> }
  /** a whole event that may be for the router */
  | {
      kind: "event";
      bytes: Uint8Array<ArrayBuffer>;
      data: string;
      /** id that a resuming client would send; null: the event has none */
      id: string | null;
      /** what is left of the event for the client when the router takes its data; empty: nothing */
      rest: Uint8Array<ArrayBuffer>;
      /** the same event with other data */
      withData(data: string): Uint8Array<ArrayBuffer>;
    }
  /**
   * an event that another parser could read otherwise than the router, so it is taken out; `bytes`: what is
   * left of it
   */
  | {
      kind: "unreadable";
      fault: Fault;
      bytes: Uint8Array<ArrayBuffer>;
      /** null: a part of the event has gone out, without its end */
      whole: { data: string; withData(data: string): Uint8Array<ArrayBuffer> } | null;
    }
  /**
   * an event that is too large to be held and not known to be harmless, so it is taken out; `head`: its
   * beginning
   */
  | { kind: "oversized"; head: string };
