/** Server-sent events (HTML Living Standard, section 9.2), read from text that comes in pieces. */
export interface ServerEvent {
  kind: string;
  /** null: the event has none */
  id: string | null;
  data: string;
}

function eventIn(block: string): ServerEvent | null {
  const event: ServerEvent = { kind: "message", id: null, data: "" };
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (name === "event") event.kind = value;
    if (name === "id") event.id = value;
    if (name === "data") data.push(value);
  }
  return data.length === 0 ? null : { ...event, data: data.join("\n") };
}

/** Takes each piece of the text, and gives the events that are whole by then. */
export function createEventReader(): (piece: string) => ServerEvent[] {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => eventIn(block) ?? []);
  };
}
