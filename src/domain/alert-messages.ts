/** Alerts as people read them: severity, a sentence, the page with the cause, and the body that each receiver expects. */
import type { Alert, AlertReceiver, alertPlaceholders } from "./alerts.ts";
import { isObject, type JsonObject } from "./json.ts";
import { isoTime } from "./calendar.ts";

export type Severity = "info" | "warning" | "critical";

export function severityOf({ kind, threshold }: Pick<Alert, "kind" | "threshold">): Severity {
  if (kind === "seals_stopped") return "critical";
  if (kind !== "budget_crossed") return "warning";
  const used = threshold ?? 0;
  return used >= 100 ? "critical" : used >= 75 ? "warning" : "info";
}

const pages = {
  budget_crossed: "/limits",
  credential_failing: "/credentials",
  circuit_open: "/requests?outcome=failed",
  server_failing: "/servers",
  seals_stopped: "/seals",
  sink_behind: "/seals",
} as const satisfies Record<Alert["kind"], string>;

/** The console's page with the cause, below the tenant's. */
export const causeOf = ({ kind, subject }: Pick<Alert, "kind" | "subject">): string =>
  kind === "budget_crossed" && !subject.startsWith("ten_")
    ? `/limits?find=${encodeURIComponent(subject)}`
    : pages[kind];

/** Before the subject. */
export const troubles = {
  credential_failing: "The provider rejects the key of",
  circuit_open: "Calls have failed for 10 minutes:",
  server_failing: "The server rejects the router’s sign-in:",
  seals_stopped: "Records have waited 15 minutes for their seal:",
  sink_behind: "The audit sink has rejected sealed records for 30 minutes:",
} as const satisfies Record<Exclude<Alert["kind"], "budget_crossed">, string>;

const usd = (amount: number | null): string => `$${(amount ?? 0).toFixed(2)}`;

/** `key.usdPerDay` → `budget per day` */
const budgetOf = (name: string | null): string => {
  const [, period] = /\.usdPer(\w+)$/.exec(name ?? "") ?? [];
  return period === undefined ? "total budget" : `budget per ${period.toLowerCase()}`;
};

/** @param subject display name of the alert's subject */
export function sentenceOf(
  { kind, name, threshold, used, limit }: Omit<Alert, "id" | "tenantId" | "at">,
  subject: string,
): string {
  if (kind !== "budget_crossed") return `${troubles[kind]} ${subject}.`;
  const figures = `${usd(used)} of ${usd(limit)} used`;
  if (threshold !== 100) return `${threshold}% of the ${budgetOf(name)} of ${subject}: ${figures}.`;
  // A refused call counts while something is left.
  const end = (used ?? 0) < (limit ?? 0) ? "has no room for a call" : "is used up";
  return `The ${budgetOf(name)} of ${subject} ${end}: ${figures}.`;
}

export interface AlertMessage {
  alert: Alert;
  tenant: { slug: string; name: string };
  subject: string;
  /** null: the router's public URL is not set */
  link: string | null;
}

const titles = { info: "Notice", warning: "Warning", critical: "Critical" } as const;

function plainBody({ alert, tenant, subject, link }: AlertMessage, text: string): object {
  const { id, kind, tenantId: _, ...rest } = alert;
  return {
    type: `alert.${kind}`,
    timestamp: isoTime(alert.at),
    data: {
      id,
      kind,
      severity: severityOf(alert),
      text,
      link,
      tenant: tenant.slug,
      tenantName: tenant.name,
      subjectName: subject,
      ...rest,
      at: isoTime(alert.at),
      periodFrom: isoTime(alert.periodFrom),
      periodUntil: alert.periodUntil === null ? null : isoTime(alert.periodUntil),
    },
  };
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const maxDiscordCharacters = 2_000;

/** `null` if it isn't a JSON object */
export function templateIn(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

type Filling = Readonly<Record<(typeof alertPlaceholders)[number], string>>;

/** Texts are replaced in the parsed template, so they can't change its structure. */
function filled(template: unknown, filling: Filling): unknown {
  if (typeof template === "string")
    return template.replace(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(filling, name) ? filling[name as keyof Filling] : whole,
    );
  if (Array.isArray(template)) return template.map((each) => filled(each, filling));
  if (!isObject(template)) return template;
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => [name, filled(value, filling)]),
  );
}

type Format = Exclude<NonNullable<AlertReceiver["format"]>, "custom">;

const bodies: Readonly<Record<Format, (its: AlertMessage, text: string) => object>> = {
  webhook: plainBody,
  slack: ({ link }, text) => ({
    text: `${escaped(text)}${link === null ? "" : ` <${link}|View in console>`}`,
  }),
  discord: ({ link }, text) => ({
    content: `${text}${link === null ? "" : ` ${link}`}`.slice(0, maxDiscordCharacters),
    allowed_mentions: { parse: [] },
  }),
  // An incoming webhook of Teams’ Workflows.
  teams: ({ link }, text) => ({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [{ type: "TextBlock", text, wrap: true }],
          actions:
            link === null ? [] : [{ type: "Action.OpenUrl", title: "View in console", url: link }],
        },
      },
    ],
  }),
};

export function alertBody(
  { format = "webhook", body = "{}" }: Pick<AlertReceiver, "format" | "body">,
  message: AlertMessage,
): string {
  const { alert, tenant, subject, link } = message;
  const severity = severityOf(alert);
  const sentence = sentenceOf(alert, subject);
  const text = `${titles[severity]}, ${tenant.name}: ${sentence}`;
  if (format !== "custom") return JSON.stringify(bodies[format](message, text));
  const title = `${titles[severity]}: ${tenant.name}`;
  const filling = { title, text: sentence, link: link ?? "", severity, tenant: tenant.name };
  return JSON.stringify(filled(templateIn(body), filling));
}
