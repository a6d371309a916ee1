import type { Fault } from "../json-text/message-reader.ts";

export type Segment =
  | { kind: "bytes"; bytes: Uint8Array<ArrayBuffer> }
  | {
      kind: "event";
      bytes: Uint8Array<ArrayBuffer>;
      data: string;
      id: string | null;
      /** the event without its data, or empty */
      rest: Uint8Array<ArrayBuffer>;
      /** the event with other data */
      withData(data: string): Uint8Array<ArrayBuffer>;
    }
  /** removed because other parsers could read it differently */
  | {
      kind: "unreadable";
      fault: Fault;
      bytes: Uint8Array<ArrayBuffer>;
      /** `null` if part of the event has been output */
      whole: { data: string; withData(data: string): Uint8Array<ArrayBuffer> } | null;
    }
  /** removed because it is too large to inspect; `head`: its start */
  | { kind: "oversized"; head: string };
