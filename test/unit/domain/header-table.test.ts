/** What the proxy does with each header: one row for each kind, and the spellings that servers mix up. */
import { describe, expect, it } from "vitest";
import { asRead, headerRules, type HeaderRules } from "../../../src/domain/servers/header-table.ts";

type Row = [
  name: string,
  sent: HeaderRules["sent"],
  isReturned: boolean,
  identifies: boolean,
  isSettable: boolean,
];

const rows: Row[] = [
  ["accept", "always", false, false, false],
  ["content-type", "always", true, false, false],
  ["accept-language", "always", false, false, true],
  ["traceparent", "always", false, false, true],
  ["mcp-session-id", "always", true, false, false],
  ["mcp-param-region", "always", true, false, false],
  ["mcp-anything", "always", true, true, false],
  ["content-encoding", "named", false, false, false],
  ["cache-control", "named", true, false, true],
  ["user-agent", "named", false, false, true],
  ["x-api-key", "named", false, true, true],
  ["retry-after", "named", true, true, true],
  ["authorization", "never", false, false, true],
  ["cookie", "never", false, false, true],
  ["origin", "never", false, false, true],
  ["referer", "never", false, false, true],
  ["connection", "never", false, false, false],
  ["cf-aig-authorization", "never", false, false, true],
  ["cf-access-client-secret", "never", false, false, true],
  ["cf-connecting-ip", "never", false, false, false],
  ["x-real-ip", "never", false, false, false],
  ["x-forwarded-user", "never", false, false, false],
  ["x-original-url", "never", false, false, false],
  ["x-http-method-override", "never", false, false, false],
  ["sec-fetch-site", "never", false, false, false],
  ["access-control-request-method", "never", false, false, false],
  ["x-sampling-router-hops", "never", false, false, false],
  ["x-sampling-router-anything", "never", false, false, false],
];

describe("the table of headers", () => {
  it.each(rows)("%s", (name, sent, isReturned, identifies, isSettable) => {
    const rules = { sent, isReturned, identifies, isSettable };
    expect(headerRules(name)).toMatchObject(rules);
    expect(headerRules(name.toUpperCase())).toMatchObject(rules);
  });

  it.each(["mcp_session_id", "mcp_method", "content_type", "x_forwarded_for", "Transfer_Encoding"])(
    "keeps %s back: some servers read it as the listed header",
    (name) => {
      expect(headerRules(name)).toMatchObject({
        sent: "never",
        isReturned: false,
        isSettable: false,
      });
    },
  );

  it("lets other spellings of headers that anybody may name go on", () => {
    for (const name of ["x_api_key", "user_agent", "x_request_id"])
      expect(headerRules(name)).toMatchObject({ sent: "named", identifies: true });
  });

  it("returns no header that it would not let an entry name, but the protocol's and the type", () => {
    for (const [name, sent, isReturned] of rows)
      if (isReturned && sent !== "named") expect(name).toMatch(/^(mcp-|content-type$)/);
  });

  it("reads a name as servers do", () => {
    expect(asRead("X_Real-IP")).toBe("x-real-ip");
  });
});
