/** Server-sent events (HTML Living Standard, section 9.2.6), parsed incrementally. */
export interface ServerEvent {
  kind: string;
  id: string | null;
  data: string;
}

/** Appended to a finished stream, completes an event whose blank line is missing. */
export const streamEnd = "\n\n";

/** @returns a function that takes a piece of text and returns the events completed so far, in linear time */
export function createEventReader(): (piece: string) => ServerEvent[] {
  let parts: string[] = [];
  let endedByCr = false;
  let [kind, id]: [string, string | null] = ["message", null];
  let data: string[] = [];
  const take = (line: string): ServerEvent | null => {
    if (line !== "") {
      const [, name, value = ""] = /^([a-z]+)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (name === "event") kind = value;
      else if (name === "id") id = value;
      else if (name === "data") data.push(value);
      return null;
    }
    const event = data.length === 0 ? null : { kind, id, data: data.join("\n") };
    [kind, id, data] = ["message", null, []];
    return event;
  };
  return (piece) => {
    if (piece === "") return [];
    const text = endedByCr && piece.startsWith("\n") ? piece.slice(1) : piece;
    endedByCr = piece.endsWith("\r");
    const [first = "", ...lines] = text.split(/\r\n|\r|\n/);
    parts.push(first);
    return lines.flatMap((line) => {
      const event = take(parts.join(""));
      parts = [line];
      return event ?? [];
    });
  };
}
