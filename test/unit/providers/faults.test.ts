/** Each error of a provider maps to one fault with its reach and retry time. */
import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import * as fc from "fast-check";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { ProviderFault } from "../../../src/domain/attempts.ts";
import { faultOf, retryAfterMsOf } from "../../../src/providers/faults.ts";

const now = Date.parse("2026-11-20T12:00:00Z");
const secret = "sk-canary-in-the-mine";
const quiet = new AbortController().signal;

const apiError = (
  statusCode: number | undefined,
  rest: Partial<ConstructorParameters<typeof APICallError>[0]> = {},
): APICallError =>
  new APICallError({
    message: secret,
    url: `https://example.com/?key=${secret}`,
    requestBodyValues: { prompt: secret },
    ...(statusCode === undefined ? {} : { statusCode }),
    responseBody: secret,
    data: { secret },
    ...rest,
  });

const classify = (thrown: unknown, signal = quiet): ProviderFault =>
  faultOf(thrown, { signal, now });

describe("status", () => {
  it.each([
    [400, "invalid_request", true],
    [413, "invalid_request", true],
    [422, "invalid_request", true],
    [404, "invalid_request", true],
    [401, "auth", true],
    [403, "auth", true],
    [402, "rate_limit", true],
    [429, "rate_limit", true],
    [408, "timeout", true],
    [409, "server", true],
    [425, "server", true],
    [500, "server", true],
    [503, "server", true],
    [529, "server", true],
  ] as const)("%i is %s, retryable %s, not billed", (status, kind, retryable) => {
    expect(classify(apiError(status))).toMatchObject({
      kind,
      status,
      retryable,
      retryAfterMs: null,
      billed: "no",
    });
  });
});

describe("an error in the body of a success", () => {
  const success = (body: unknown): ProviderFault =>
    classify(apiError(200, { responseBody: JSON.stringify(body), cause: new SyntaxError("no") }));
  const rateLimited = { kind: "rate_limit", retryable: true, billed: "no", status: 200 };

  it.each([
    [{ error: { code: 429, message: secret } }, rateLimited],
    [{ error: { code: "429", message: secret } }, rateLimited],
    [{ error: { type: "rate_limit_error" }, type: "error" }, rateLimited],
    [{ error: secret, status: 429 }, rateLimited],
    [{ error: { code: 401 } }, { kind: "auth", billed: "no" }],
    [{ error: { code: 400 } }, { kind: "invalid_request", reach: "request", billed: "no" }],
    [{ error: { message: secret } }, { kind: "server", retryable: true, billed: "no" }],
    [{ error: { code: 700 } }, { kind: "server", billed: "no" }],
  ])("is read as that error, and not billed: %j", (body, fault) => {
    expect(success(body)).toMatchObject(fault);
    expect(inspect(success(body), { depth: null })).not.toContain(secret);
  });

  it.each([
    [{ error: null, choices: [] }],
    [{ error: { code: 429 }, choices: [{}] }],
    [{ error: "" }],
    [{ errors: [{ code: 429 }] }],
    [[{ error: { code: 429 } }]],
  ])("is none beside an answer, or in another shape: %j", (body) => {
    expect(success(body)).toMatchObject({ kind: "malformed", billed: "maybe" });
  });
});

describe("retry-after", () => {
  it.each([
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1_500],
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "Fri, 20 Nov 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Fri, 20 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "2, 2" }, 2_000],
    [{ "retry-after": "2,7" }, 7_000],
    [{ "retry-after": "-5" }, null],
    [{ "retry-after": "1, -5" }, null],
    [{ "retry-after": "2026" }, 2_026_000],
    [{ "retry-after": "Friday, 20-Nov-26 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "9".repeat(400) }, 86_400_000],
    [{ "retry-after-ms": "9".repeat(400) }, 86_400_000],
    [{ "retry-after-ms": "-5" }, null],
    [{}, null],
  ])("%o is %s ms", (headers, expected) => {
    expect(retryAfterMsOf({ headers }, now)).toBe(expected);
  });

  it("is read from Google's body", () => {
    const details = [
      { "@type": "type.googleapis.com/google.rpc.Help" },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "37.5s" },
    ];
    const body = JSON.stringify({ error: { code: 429, details } });
    expect(classify(apiError(429, { responseBody: body }))).toMatchObject({ retryAfterMs: 37_500 });
  });

  it("is a whole number that is not negative, or null, for any header and body", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (header, body) => {
        const ms = retryAfterMsOf({ headers: { "retry-after": header }, body }, now);
        return ms === null || (Number.isInteger(ms) && ms >= 0);
      }),
    );
  });
});

describe("any other error that is thrown", () => {
  const coded = (code: string): Error => Object.assign(new Error(secret), { code });
  const parseError = new JSONParseError({ text: secret, cause: new SyntaxError(secret) });

  it.each([
    ["a lost connection, as a plain Error", new Error(secret), "network", "maybe"],
    [
      "fetch failed",
      new TypeError("fetch failed", { cause: coded("ECONNRESET") }),
      "network",
      "maybe",
    ],
    [
      "a refused connection",
      apiError(undefined, { cause: coded("ECONNREFUSED") }),
      "network",
      "no",
    ],
    [
      "an unknown host",
      new TypeError("fetch failed", { cause: coded("ENOTFOUND") }),
      "network",
      "no",
    ],
    [
      "a body that breaks off",
      apiError(200, { cause: new TypeError("terminated") }),
      "network",
      "maybe",
    ],
    ["200 without JSON", apiError(200, { cause: parseError }), "malformed", "maybe"],
    ["a bare parse error", parseError, "malformed", "maybe"],
    [
      "200 without a byte",
      apiError(200, { responseBody: "", cause: parseError }),
      "empty",
      "maybe",
    ],
    ["no choices", new InvalidResponseDataError({ data: secret }), "empty", "maybe"],
    ["no key", new LoadAPIKeyError({ message: secret }), "auth", "no"],
    [
      "a format the library refuses",
      new UnsupportedFunctionalityError({ functionality: secret }),
      "invalid_request",
      "no",
    ],
    ["a string", secret, "network", "maybe"],
    ["undefined", undefined, "network", "maybe"],
    [
      "a timeout of the library's own",
      new DOMException(secret, "TimeoutError"),
      "timeout",
      "maybe",
    ],
  ] as const)("%s", (_, thrown, kind, billed) => {
    const fault = classify(thrown);
    expect(fault).toMatchObject({ kind, billed, retryable: true, retryAfterMs: null });
    expect(inspect(fault, { depth: null, showHidden: true })).not.toContain(secret);
  });

  it.each([
    [500, { output: null }, "empty"],
    [400, { error: { code: "server_error", message: secret } }, "server"],
    [400, { error: { code: "rate_limit_exceeded", message: secret } }, "rate_limit"],
  ] as const)("a status %i that the library made up for %o", (status, body, kind) => {
    const thrown = apiError(status, { responseBody: body as never });
    expect(classify(thrown)).toMatchObject({
      kind,
      status: 200,
      retryable: true,
      retryAfterMs: null,
      billed: "maybe",
    });
  });

  it("survives causes in a circle", () => {
    const error = new Error(secret);
    error.cause = error;
    expect(classify(error)).toMatchObject({ kind: "network" });
  });
});

describe("the call's own signal", () => {
  it("tells a deadline from a cancellation", () => {
    const timeout = AbortSignal.abort(new DOMException("late", "TimeoutError"));
    expect(classify(timeout.reason, timeout)).toMatchObject({
      kind: "timeout",
      retryable: true,
      billed: "maybe",
    });
    for (const reason of [undefined, new Error(secret), "gone"]) {
      const cancelled = AbortSignal.abort(reason);
      expect(classify(cancelled.reason, cancelled)).toMatchObject({
        kind: "cancelled",
        retryable: false,
        billed: "maybe",
      });
    }
  });

  it("decides the fault of any thrown error once the signal is aborted", () => {
    expect(classify(new Error(secret), AbortSignal.abort())).toMatchObject({ kind: "cancelled" });
  });

  it("doesn't replace an answer that had come", () => {
    expect(classify(apiError(429), AbortSignal.abort())).toMatchObject({ kind: "rate_limit" });
  });
});
