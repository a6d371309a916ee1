/** Settings of the audit sink: what is wrong is named, and nothing secret is repeated. */
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";

const webhookSecret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const store = {
  AUDIT_SINK_URL: "https://s3.eu-central-1.amazonaws.com/audit/router",
  AUDIT_SINK_ACCESS_KEY_ID: "AKCANARY",
  AUDIT_SINK_SECRET_ACCESS_KEY: "CANARY-secret",
};
const sinkOf = (env: Record<string, string>) =>
  parseConfig({
    DATABASE_URL: "http://database.test",
    MASTER_KEY: Buffer.alloc(32).toString("base64"),
    ADMIN_TOKEN: "an operator's token",
    ...env,
  });

describe("where sealed chains go", () => {
  it("is nowhere unless an address is set", () => {
    for (const url of ["", " "])
      expect(sinkOf({ ...store, AUDIT_SINK_URL: url })).toMatchObject({
        ok: true,
        value: { sink: null },
      });
  });

  it("is a store, in us-east-1 and unlocked unless said otherwise", () => {
    const plain = { kind: "s3", region: "us-east-1", lockDays: null };
    expect(sinkOf(store)).toMatchObject({ ok: true, value: { sink: plain } });
    const said = { AUDIT_SINK_REGION: "eu-central-1", AUDIT_SINK_LOCK_DAYS: "365" };
    expect(sinkOf({ ...store, ...said })).toMatchObject({
      ok: true,
      value: { sink: { kind: "s3", region: "eu-central-1", lockDays: 365 } },
    });
  });

  it("is a webhook where a secret signs", () => {
    const url = "http://127.0.0.1:9000/audit";
    expect(sinkOf({ AUDIT_SINK_URL: url, AUDIT_SINK_WEBHOOK_SECRET: webhookSecret })).toMatchObject(
      { ok: true, value: { sink: { kind: "webhook", url, secret: webhookSecret } } },
    );
  });

  it.each<[string, string, Record<string, string>?]>([
    ["AUDIT_SINK_URL", "CANARY"],
    ["AUDIT_SINK_URL", "s3://CANARY/router"],
    ["AUDIT_SINK_URL", "http://store.CANARY.test/audit"],
    ["AUDIT_SINK_URL", "https://user:CANARY@store.test/audit"],
    ["AUDIT_SINK_URL", "https://store.test/audit?token=CANARY"],
    ["AUDIT_SINK_URL", "https://store.test/audit#CANARY"],
    ["AUDIT_SINK_ACCESS_KEY_ID", ""],
    ["AUDIT_SINK_SECRET_ACCESS_KEY", " "],
    ["AUDIT_SINK_LOCK_DAYS", "0"],
    ["AUDIT_SINK_LOCK_DAYS", "CANARY"],
    ["AUDIT_SINK_LOCK_DAYS", "1.5"],
    ["AUDIT_SINK_LOCK_DAYS", "100000"],
    ["AUDIT_SINK_WEBHOOK_SECRET", "CANARY", { AUDIT_SINK_ACCESS_KEY_ID: "" }],
    ["AUDIT_SINK_WEBHOOK_SECRET", "whsec_CANARY", { AUDIT_SINK_ACCESS_KEY_ID: "" }],
    ["AUDIT_SINK_WEBHOOK_SECRET", webhookSecret],
  ])("%s=%j is a fault that names it and doesn't repeat it", (setting, given, more = {}) => {
    const parsed = sinkOf({ ...store, ...more, [setting]: given });
    expect(parsed).toMatchObject({ ok: false, error: { setting } });
    expect(JSON.stringify(parsed)).not.toMatch(/CANARY|whsec_B/);
  });

  it("is not printed with the rest of the config", () => {
    const parsed = sinkOf(store);
    expect(parsed.ok).toBe(true);
    expect(JSON.stringify(parsed)).not.toContain("CANARY");
  });
});
