/** What a server says that its body holds: whatever a client could read otherwise is no known type. */
import { describe, expect, it } from "vitest";
import { isAnyJson, mediaTypeIn } from "../../../src/domain/servers/media-type.ts";

describe("a media type", () => {
  it.each([
    ["application/json", "json", false],
    ["Application/JSON", "json", false],
    ["  application/json ", "json", false],
    ["application/json;charset=utf-8", "json", false],
    ['application/json ; charset="UTF-8"', "json", false],
    ["application/json;", "json", false],
    ["application/json; ; charset=utf-8;", "json", false],
    ["application/json; odata=minimal", "json", true],
    ['application/json; x="text/event-stream"', "json", true],
    ["text/event-stream", "event-stream", false],
    ["text/event-stream; charset=utf8", "event-stream", false],
    ["text/event-stream; x=application/json", "other", true],
    ["text/event-stream;x=1", "event-stream", true],
  ] as const)("is read: %s", (header, kind, hasOtherParameters) => {
    expect(mediaTypeIn(header)).toMatchObject({ kind, hasOtherParameters });
  });

  it.each([
    null,
    "",
    "text/event-stream2",
    "text/event-streams",
    "xtext/event-stream",
    "text/event-stream, application/json",
    "application/json, text/event-stream",
    "application/json text/event-stream",
    "application/jsonp",
    "application/json-seq",
    "application/problem+json",
    "text/plain; x=text/event-stream",
    'text/html; x="application/json"',
    "application/json; charset=utf-16",
    "application/json; charset=utf-8; charset=utf-7",
    "application/json; charset",
    'application/json; x="',
    "application/json; x=é",
    "text/event-stream\u00a0",
    "json",
    "constructor/prototype",
  ])("is neither JSON nor a stream: %j", (header) => {
    expect(mediaTypeIn(header).kind).toBe("other");
  });

  it("is read in one pass, however many blanks it has", () => {
    expect(mediaTypeIn(`text/event-stream${"; ".repeat(20_000)}\u0001`).kind).toBe("other");
    expect(mediaTypeIn(`text/event-stream; x="${"a".repeat(20_000)}`).kind).toBe("other");
  });

  it("of problem details is JSON beside an error", () => {
    const isJson = (header: string) => isAnyJson(mediaTypeIn(header));
    expect(isJson("application/problem+json; charset=utf-8")).toBe(true);
    expect(isJson("application/json")).toBe(true);
    expect(isJson("text/event-stream")).toBe(false);
    expect(isJson("text/x+json")).toBe(false);
  });
});
