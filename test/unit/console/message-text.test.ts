/** Messages to a webhook are listed by their text, in each receiver's shape. */
import { expect, it } from "vitest";
import { emailApis } from "../../../src/console/alerts/email-apis.ts";
import { textIn } from "../../../src/console/message-text.ts";
import { alertBody } from "../../../src/domain/alert-messages.ts";
import { alertFormats, type Alert } from "../../../src/domain/alerts.ts";

const alert = { kind: "server_failing", periodUntil: null, at: 0, periodFrom: 0 } as Alert;
const message = { alert, tenant: { slug: "acme", name: "Acme" }, subject: "search", link: null };
const found = (format: (typeof alertFormats)[number], body: object = {}) =>
  textIn(JSON.parse(alertBody({ format, body: JSON.stringify(body) }, message)));

it.each(alertFormats.filter((format) => format !== "custom"))("finds the text for %s", (format) => {
  expect(found(format)).toMatch(/The server rejects the router’s sign-in: search\.$/);
});

it.each(emailApis)("finds the text of an email by $name", ({ body }) => {
  expect(found("custom", body)).toMatch(/^The server rejects the router’s sign-in: search\./);
});

it("finds none in a message without a text", () => {
  expect(textIn({ type: "approval.denied", data: { id: "req_1" } })).toBeNull();
});
