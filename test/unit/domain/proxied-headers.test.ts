/** Which headers cross the proxy, which may be named in an entry, and what a cache may keep. */
import { describe, expect, it } from "vitest";
import {
  passedSentence,
  privateRules,
  problemWithPassHeaders,
  returnedHeaders,
  sentBy,
  sentHeaders,
} from "../../../src/domain/servers/proxied-headers.ts";

const ofTheList = {
  accept: "text/event-stream",
  "accept-language": "de",
  baggage: "a=b",
  "content-type": "application/json",
  "last-event-id": "7",
  "mcp-session-id": "s",
  "mcp-param-x": "1",
  traceparent: "00-1-1-01",
  tracestate: "a=b",
};
const otherwise = {
  "remote-user": "root",
  "x-forwarded-user": "root",
  "x-remote-user": "root",
  "x-request-id": "1",
  "x-workspace": "w",
};
const never = {
  authorization: "Bearer srk_key_secret",
  cookie: "a=b",
  "cf-ray": "1",
  "content-length": "2",
  host: "router.test",
  origin: "https://page.test",
  "sec-fetch-site": "none",
  "x-forwarded-for": "10.0.0.1",
  "x-original-url": "/elsewhere",
  "x-sampling-router-hops": "1",
  "x-sampling-router-key": "srk_key_secret",
  mcp_session_id: "another",
  x_forwarded_for: "10.0.0.1",
};
const sent = (passHeaders: string[], own: Record<string, string> = {}, more: object = {}) =>
  sentHeaders(new Headers({ ...ofTheList, ...otherwise, ...never, ...more }), { passHeaders, own });

describe("the headers of a client that a server gets", () => {
  it("are the listed ones, and the router's user agent", () => {
    expect(sent([])).toEqual({ ...ofTheList, "user-agent": "sampling-router" });
  });

  it("are those that its entry names beside the list, however they are spelled", () => {
    expect(sent(["X-WORKSPACE", "User-Agent"], {}, { "User-Agent": "client/1" })).toEqual({
      ...ofTheList,
      "x-workspace": "w",
      "user-agent": "client/1",
    });
  });

  it("never include a key, whatever the row says", () => {
    expect(sent(Object.keys(never))).toEqual({ ...ofTheList, "user-agent": "sampling-router" });
  });

  it("never include one that the entry sets itself, under any spelling", () => {
    const own = { "X-Workspace": "mine", "User-Agent": "own/1" };
    const passed = sent(["x-workspace", "x_workspace"], own, { x_workspace: "theirs" });
    expect(passed).toEqual({ ...ofTheList, "x-workspace": "mine", "user-agent": "own/1" });
  });

  it("never include those that the client's Connection header names", () => {
    const passed = sent(["x-workspace"], {}, { connection: "close, X-Workspace" });
    expect(passed).not.toHaveProperty("x-workspace");
  });

  it("can be asked about by name", () => {
    expect(["accept", "mcp-x", "x-a"].map(sentBy(["x-b"]))).toEqual([true, true, false]);
  });
});

describe("the headers of a server that a client gets", () => {
  it("are the listed ones, and rules for caches", () => {
    const returned = {
      allow: "POST",
      "content-language": "de",
      "content-type": "application/json",
      "last-modified": "Wed, 21 Oct 2026 07:28:00 GMT",
      "mcp-session-id": "s",
      "mcp-anything": "1",
      "retry-after": "3",
    };
    const headers = new Headers({
      ...returned,
      "access-control-allow-origin": "*",
      "clear-site-data": '"*"',
      "content-disposition": "attachment",
      "content-encoding": "gzip",
      "content-length": "7",
      "content-location": "/x",
      etag: '"1"',
      link: "<https://elsewhere.test>; rel=preload",
      location: "https://elsewhere.test",
      ratelimit: '"x";r=0;t=1',
      "ratelimit-policy": '"x";q=1;w=1',
      refresh: "0;url=https://elsewhere.test",
      "server-timing": "db;dur=1",
      "set-cookie": "a=b",
      "surrogate-control": "max-age=1",
      vary: "*",
      "www-authenticate": "Bearer",
      "x-accel-buffering": "yes",
      "x-accel-redirect": "/etc/passwd",
      "x-own": "1",
      "x-request-id": "forged",
      "x-sendfile": "/etc/passwd",
    });
    expect(returnedHeaders(headers)).toEqual({ ...returned, "cache-control": "private" });
  });

  it.each([
    [null, "private"],
    ["", "private"],
    ["private", "private"],
    ["no-store", "private, no-store"],
    ["max-age=1", "private, max-age=1"],
    ["public, max-age=60, s-maxage=900", "private, max-age=60"],
    ["PUBLIC , Max-Age=60", "private, Max-Age=60"],
    ['private="set-cookie", max-age=60', "private, max-age=60"],
    ["proxy-revalidate, no-cache", "private, no-cache"],
    ['x="a, public", max-age=1', "no-store"],
    ["max-age=60, , public", "no-store"],
    ["max age=60", "no-store"],
  ])("let no shared cache keep an answer: %j becomes %j", (rules, made) => {
    expect(privateRules(rules)).toBe(made);
  });
});

describe("an entry may name", () => {
  it.each([
    [[]],
    [["X-Workspace", "remote-user", "User-Agent", "Accept-Language", "Content-Encoding"]],
    [Array.from({ length: 32 }, (_, index) => `X-${index}`)],
  ])("%j", (names) => {
    expect(problemWithPassHeaders(names)).toBeNull();
  });

  it.each<[string[], number]>([
    [["Authorization"], 0],
    [["*"], 0],
    [["X-A", "*"], 1],
    [["X-A", "x-a"], 1],
    [["a b"], 0],
    [[""], 0],
    [["X".repeat(101)], 0],
    [["Cookie"], 0],
    [["Host"], 0],
    [["Connection"], 0],
    [["Transfer-Encoding"], 0],
    [["Origin"], 0],
    [["X-Forwarded-For"], 0],
    [["X_Forwarded_For"], 0],
    [["CF-Connecting-IP"], 0],
    [["X-Original-URL"], 0],
    [["X-Sampling-Router-Key"], 0],
    [["X_Sampling_Router_Key"], 0],
    [["X-Sampling-Router-Anything"], 0],
    [["Mcp_Session_Id"], 0],
    [["Content_Encoding"], 0],
    [["X-Forwarded_For"], 0],
    [["Mcp-Session-Id"], 0],
  ])("not %j", (names, index) => {
    expect(problemWithPassHeaders(names)?.index).toBe(index);
  });

  it("not more than 32 names", () => {
    const names = Array.from({ length: 33 }, (_, index) => `X-${index}`);
    expect(problemWithPassHeaders(names)).toEqual({ index: null, detail: "At most 32 names." });
  });

  it("headers that the check of a server then lists", () => {
    expect(passedSentence([])).toBeNull();
    expect(passedSentence(["X-Workspace", "X-B"])).toContain("X-Workspace, X-B");
  });
});
