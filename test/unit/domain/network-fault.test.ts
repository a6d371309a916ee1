/** A network fault names its cause, host and port, and nothing else of the request. */
import { describe, expect, it } from "vitest";
import {
  isUnsent,
  networkCauseOf,
  networkCauses,
  networkFaultAt,
  networkMessage,
  statusReason,
  noAnswerReason,
  timeoutReason,
} from "../../../src/domain/network-fault.ts";

const failed = (code: string, about: object = {}) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("secret"), { code, ...about }) });

describe("a request without an answer", () => {
  it.each([
    ["ENOTFOUND", "dns", true],
    ["EAI_AGAIN", "dns", true],
    ["ECONNREFUSED", "refused", true],
    ["EHOSTUNREACH", "unreachable", true],
    ["UND_ERR_CONNECT_TIMEOUT", "connect_timeout", true],
    ["CERT_HAS_EXPIRED", "tls_expired", true],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls_untrusted", true],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tls_untrusted", true],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls_untrusted", true],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_name", true],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls_handshake", true],
    ["PROXY_UNREACHABLE", "proxy_unreachable", true],
    ["PROXY_REFUSED", "proxy_refused", true],
    ["ADDRESS_NOT_ALLOWED", "not_allowed", true],
    ["BAD_UPGRADE", "protocol", false],
    ["UND_ERR_SOCKET", "connection_closed", false],
    ["ECONNRESET", "connection_closed", false],
    ["ETIMEDOUT", "response_timeout", false],
    ["SOMETHING_NEW", "unknown", false],
  ] as const)("with %s failed by %s", (code, cause, neverSent) => {
    expect([networkCauseOf(failed(code)), isUnsent(failed(code))]).toEqual([cause, neverSent]);
  });

  it("ran out of time before or after it was sent, as its host says", () => {
    const late = () => new DOMException("late", "TimeoutError");
    const unsent = Object.assign(late(), { requestSent: false });
    expect([networkCauseOf(late()), isUnsent(late())]).toEqual(["response_timeout", false]);
    expect([networkCauseOf(unsent), isUnsent(unsent)]).toEqual(["connect_timeout", true]);
  });

  it("is explained by the first of several addresses, and causes in a circle end", () => {
    const both = new AggregateError([Object.assign(new Error(), { code: "ECONNREFUSED" })]);
    expect(networkCauseOf(new TypeError("fetch failed", { cause: both }))).toBe("refused");
    const circle: { cause?: unknown } = {};
    circle.cause = circle;
    expect(networkCauseOf(circle)).toBe("unknown");
  });

  it("is told with host, port and cause, and nothing else of its URL or error", () => {
    const url = "https://user:secret@api.example/v1/secret?key=secret";
    expect(noAnswerReason(url, failed("ENOTFOUND"))).toBe(
      "api.example:443: the host name can't be resolved (DNS)",
    );
    expect(timeoutReason(url, failed("ABORTED"))).toBe("api.example:443: the request timed out");
    const unsent = Object.assign(new Error("secret"), { requestSent: false });
    expect(timeoutReason(url, unsent)).toBe(
      "api.example:443: the connection timed out (TCP or TLS)",
    );
    expect(statusReason(url, 503)).toBe("api.example:443: HTTP 503");
    expect(networkFaultAt("http://[::1]:8080/", "refused")).toMatchObject({ port: 8080 });
    for (const cause of networkCauses)
      expect(networkMessage(networkFaultAt(url, cause))).toMatch(/^api\.example:443: \w.*[^.]$/);
  });
});
