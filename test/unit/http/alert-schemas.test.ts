/** Rules of a policy's alerts, with the member that is wrong. */
import { describe, expect, it } from "vitest";
import { alertRule } from "../../../src/http/admin/alert-schemas.ts";

const webhookUrl = "https://hooks.test/a";
const another = "https://hooks.test/b";

const faultsOf = (rule: object): Record<string, string> =>
  Object.fromEntries(
    (alertRule.safeParse(rule).error?.issues ?? []).map(({ path, message }) => [
      path.join("."),
      message,
    ]),
  );

describe("the rule of alerts", () => {
  it.each([
    {},
    { receivers: [] },
    { receivers: [{ webhookUrl }, { webhookUrl: another, thresholds: [50, 100] }] },
    { thresholds: [90], receivers: [{ webhookUrl, thresholds: [90], kinds: [] }] },
  ])("may be %j", (rule) => {
    expect(faultsOf(rule)).toEqual({});
  });

  it("lets a receiver ask only for thresholds that raise alerts", () => {
    const receivers = [{ webhookUrl }, { webhookUrl: another, thresholds: [80, 90] }];
    const path = "receivers.1.thresholds";
    expect(faultsOf({ receivers })).toEqual({
      [path]: "Use thresholds of the policy's alerts: 50, 80, 100.",
    });
    expect(faultsOf({ thresholds: [90], receivers })).toEqual({
      [path]: "Use thresholds of the policy's alerts: 90.",
    });
  });

  it("names a URL that is twice, a missing body, and a sixth receiver", () => {
    const custom = { webhookUrl: another, format: "custom" };
    expect(faultsOf({ receivers: [{ webhookUrl }, { webhookUrl }] })).toEqual({
      "receivers.1.webhookUrl": "Another receiver has this URL.",
    });
    expect(faultsOf({ receivers: [{ webhookUrl }, custom] })).toEqual({
      "receivers.1.body": "Required by the format `custom`.",
    });
    const six = Array.from({ length: 6 }, (_, at) => ({ webhookUrl: `${webhookUrl}${at}` }));
    expect(Object.keys(faultsOf({ receivers: six }))).toEqual(["receivers"]);
  });
});
