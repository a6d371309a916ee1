/** Alerts are sent as each receiver shows them: a sentence with names, its severity, and a link to the cause. */
import { describe, expect, it } from "vitest";
import {
  alertBody,
  causeOf,
  sentenceOf,
  severityOf,
  type AlertMessage,
} from "../../../src/domain/alert-messages.ts";
import { alertKinds, type Alert, type AlertFormat } from "../../../src/domain/alerts.ts";

const alert: Alert = {
  id: "alert_1",
  tenantId: "ten_1",
  kind: "budget_crossed",
  subject: "key_1",
  name: "key.usdPerDay",
  threshold: 80,
  limit: 5,
  used: 4.2,
  periodFrom: 0,
  periodUntil: 86_400_000,
  at: 1_000,
};
const message: AlertMessage = {
  alert,
  tenant: { slug: "acme", name: "Acme & <Sons>" },
  subject: "search",
  link: "https://router.test/console/t/acme/limits",
};
const text = "Warning, Acme & <Sons>: 80% of the budget per day of search: $4.20 of $5.00 used.";
const sent = (format: AlertFormat, changes: Partial<AlertMessage> = {}, body = "{}") =>
  JSON.parse(alertBody({ format, body }, { ...message, ...changes })) as unknown;

describe("an alert", () => {
  it("is for a plain webhook a Standard Webhook with names, a sentence and a link", () => {
    expect(sent("webhook")).toMatchObject({
      type: "alert.budget_crossed",
      timestamp: "1970-01-01T00:00:01.000Z",
      data: {
        id: "alert_1",
        severity: "warning",
        text,
        link: message.link,
        tenant: "acme",
        subjectName: "search",
        threshold: 80,
        periodUntil: "1970-01-02T00:00:00.000Z",
      },
    });
  });

  it("is for Slack a text with the characters escaped that Slack interprets", () => {
    expect(sent("slack")).toEqual({
      text: `${text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")} <${message.link}|View in console>`,
    });
  });

  it("is for another API the policy's body, whose structure names can't change", () => {
    const body = JSON.stringify({
      personalizations: [{ to: [{ email: "ops@corp.test" }] }],
      subject: "{title}",
      content: [{ value: "{text} {link} {unknown} {toString}" }],
      retries: 3,
    });
    const tenant = { slug: "acme", name: 'A", "x": "{link}' };
    expect(sent("custom", { tenant }, body)).toEqual({
      personalizations: [{ to: [{ email: "ops@corp.test" }] }],
      subject: 'Warning: A", "x": "{link}',
      content: [
        {
          value: `80% of the budget per day of search: $4.20 of $5.00 used. ${message.link} {unknown} {toString}`,
        },
      ],
      retries: 3,
    });
  });

  it("is for Discord a content that mentions no one, of at most 2,000 characters", () => {
    expect(sent("discord")).toEqual({
      content: `${text} ${message.link}`,
      allowed_mentions: { parse: [] },
    });
    const long = sent("discord", { subject: "x".repeat(3_000) }) as { content: string };
    expect(long.content).toHaveLength(2_000);
  });

  it("is for Teams an adaptive card with a button, or without one if there is no link", () => {
    const card = {
      body: [{ type: "TextBlock", text, wrap: true }],
      actions: [{ type: "Action.OpenUrl", title: "View in console", url: message.link }],
    };
    expect(sent("teams")).toMatchObject({ type: "message", attachments: [{ content: card }] });
    expect(sent("teams", { link: null })).toMatchObject({
      attachments: [{ content: { actions: [] } }],
    });
  });

  it("has a sentence and a page for each kind, and a severity by kind and threshold", () => {
    for (const kind of alertKinds) {
      expect(sentenceOf({ ...alert, kind }, "search")).toContain("search");
      expect(causeOf({ kind, subject: "ten_one" })).toMatch(/^\/[a-z]+$|outcome=failed$/);
    }
    expect(
      [50, 80, 100].map((threshold) => severityOf({ kind: "budget_crossed", threshold })),
    ).toEqual(["info", "warning", "critical"]);
    expect(severityOf({ kind: "seals_stopped", threshold: null })).toBe("critical");
    expect(causeOf({ kind: "budget_crossed", subject: "tag:night shift" })).toBe(
      "/limits?find=tag%3Anight%20shift",
    );
    const total = { ...alert, threshold: 100, name: "tenant.usdTotal" };
    expect(sentenceOf(total, "Acme")).toBe(
      "The total budget of Acme has no room for a call: $4.20 of $5.00 used.",
    );
    expect(sentenceOf({ ...total, used: 5 }, "Acme")).toBe(
      "The total budget of Acme is used up: $5.00 of $5.00 used.",
    );
  });
});
