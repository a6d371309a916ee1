/** Telemetry is off without an endpoint, and its headers are never printed. */
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";

const secret = "Bearer CANARY-token";
const targetOf = (env: Record<string, string>) =>
  parseConfig({
    DATABASE_URL: "http://database.test",
    MASTER_KEY: Buffer.alloc(32).toString("base64"),
    ADMIN_TOKEN: "an operator's token",
    ...env,
  });

describe("where spans go", () => {
  it("is nowhere unless an endpoint is set", () => {
    expect(targetOf({})).toMatchObject({ ok: true, value: { traceTarget: null } });
    expect(targetOf({ OTEL_EXPORTER_OTLP_ENDPOINT: "", OTEL_SERVICE_NAME: "" })).toMatchObject({
      ok: true,
      value: { traceTarget: null },
    });
  });

  it.each([
    ["http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"],
    ["https://otel.test/", "https://otel.test/v1/traces"],
    ["https://otel.test/otlp/", "https://otel.test/otlp/v1/traces"],
    ["https://otel.test/otlp?team=1", "https://otel.test/otlp/v1/traces?team=1"],
  ])("%s is %s", (endpoint, url) => {
    expect(targetOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toMatchObject({
      ok: true,
      value: { traceTarget: { url, headers: {}, serviceName: "sampling-router" } },
    });
  });

  it("has headers and a name", () => {
    expect(
      targetOf({
        OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.test",
        OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20CANARY-token, x-team = a=b%2C ,",
        OTEL_SERVICE_NAME: "sampling of ours",
      }),
    ).toMatchObject({
      ok: true,
      value: {
        traceTarget: {
          headers: { Authorization: secret, "x-team": "a=b," },
          serviceName: "sampling of ours",
        },
      },
    });
  });

  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://CANARY.test:4317"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://user:CANARY@otel.test"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "CANARY"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer CANARY"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=%zzCANARY"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=CANARY%0D%0Ax-injected:%20y"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a b=CANARY"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "ok=fine,=CANARY"],
    ["OTEL_SERVICE_NAME", "CANARY\nCANARY"],
    ["OTEL_SERVICE_NAME", "CANARY".repeat(50)],
  ])("%s=%j is a fault that names it and doesn't repeat it", (setting, given) => {
    const parsed = targetOf({
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.test",
      [setting]: given,
    });
    expect(parsed).toMatchObject({ ok: false, error: { setting } });
    expect(JSON.stringify(parsed)).not.toContain("CANARY");
  });

  it("is not printed with the rest of the config", () => {
    const parsed = targetOf({
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.test/CANARY",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=CANARY",
    });
    expect(parsed.ok).toBe(true);
    expect(JSON.stringify(parsed)).not.toContain("CANARY");
  });
});
