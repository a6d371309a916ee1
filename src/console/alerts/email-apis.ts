/** Email by an HTTP API: what each expects. Sources: the providers' API references. */
const [from, to] = ["router@example.com", "ops@example.com"];
const [subject, text] = ["{title}", "{text} {link}"];

/** The header’s value lacks the key. */
export const emailApis = [
  {
    name: "Resend",
    url: "https://api.resend.com/emails",
    header: { name: "Authorization", value: "Bearer " },
    body: { from, to, subject, text },
  },
  {
    name: "Postmark",
    url: "https://api.postmarkapp.com/email",
    header: { name: "X-Postmark-Server-Token", value: "" },
    body: { From: from, To: to, Subject: subject, TextBody: text },
  },
  {
    name: "SendGrid",
    url: "https://api.sendgrid.com/v3/mail/send",
    header: { name: "Authorization", value: "Bearer " },
    body: {
      personalizations: [{ to: [{ email: to }] }],
      from: { email: from },
      subject,
      content: [{ type: "text/plain", value: text }],
    },
  },
];
