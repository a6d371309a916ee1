/** The consent page. Values from the program are escaped. */
import type { ConsentFacts } from "../../domain/ports/authorization-server.ts";
import type { ConsentPrompt } from "../../pipeline/people/consent/consent-grants.ts";

export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const style = `
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:8vh auto;padding:0 1rem}
h1{font-size:1.3rem;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}
dt{opacity:.7}dd{margin:0;overflow-wrap:anywhere}
.warning,.wrong{border-left:4px solid #c60;padding:.25rem .75rem}
label{display:block;margin:1rem 0 .25rem}
input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem}
button{font:inherit;padding:.4rem 1.2rem;margin:1rem .5rem 0 0}`;

export const document = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><style>${style}</style></head><body><main>${body}</main></body></html>`;

const row = (name: string, value: string): string => `<dt>${name}</dt><dd>${escaped(value)}</dd>`;

function allowed({ resource }: ConsentFacts): string {
  if (resource.kind === "server")
    return `Use the MCP server ${resource.server} behind this router, and the sampling that the server asks for.`;
  return resource.kind === "models"
    ? "Call models through this router."
    : "Ask this router for sampling.";
}

const askKey = `<label for="key">An API key of the tenant. The program does not see the key, and acts within the key's limits.</label><input id="key" name="key" type="password" autocomplete="off" spellcheck="false"><button name="decision" value="allow">Allow</button>`;

const askSignIn = (host: string): string =>
  `<p>You sign in at <b>${escaped(host)}</b>. The program then calls in your name, and your administrators see what it used.</p><button name="decision" value="sign-in">Sign in and allow</button>`;

export function consentPage(
  { open, identityProviderHost }: ConsentPrompt,
  wrong: string | null,
): string {
  const { facts, handle } = open;
  const { clientName, clientDomain, redirectHost, redirectIsLoopback, resource } = facts;
  const name = escaped(clientName.slice(0, 100));
  const rows = [
    row("Program", clientName.slice(0, 100)),
    row("Identified by", clientDomain ?? "the name it claims, which is not verified"),
    row("Tenant", resource.tenant),
    ...(resource.kind === "server" ? [row("Server", resource.server)] : []),
    row("It may", allowed(facts)),
    row("For", "30 days, or until it is revoked"),
    row("Redirects to", redirectHost),
  ];
  const warning = redirectIsLoopback
    ? `<p class="warning">This authorizes a program on your own computer. Continue only if you have just asked that program to connect.</p>`
    : "";
  return document(
    `Authorize ${name}`,
    `<h1>Authorize ${name}?</h1><dl>${rows.join("")}</dl>${warning}${
      wrong === null ? "" : `<p class="wrong" role="alert">${escaped(wrong)}</p>`
    }<form method="post" action="/oauth/authorize"><input type="hidden" name="handle" value="${escaped(handle)}">${identityProviderHost === null ? askKey : askSignIn(identityProviderHost)}<button name="decision" value="deny">Deny</button></form>`,
  );
}

/** Redirects automatically, since `form-action` blocks other hosts. */
export const leavingPage = (to: string): string =>
  document(
    "Sign in",
    `<meta http-equiv="refresh" content="0;url=${escaped(to)}"><h1>Continue to sign in</h1><p><a href="${escaped(to)}">Continue to ${escaped(new URL(to).host)}</a></p>`,
  );

export const faultPage = (detail: string): string =>
  document("Not authorized", `<h1>Not authorized</h1><p role="alert">${escaped(detail)}</p>`);

export function refusedPage(to: string): string {
  const { host, searchParams } = new URL(to);
  const code = searchParams.get("error") ?? "";
  return document(
    "Not authorized",
    `<h1>The request was refused</h1><p role="alert">The program at ${escaped(host)} asked for something that this router does not grant (${escaped(code)}). No access was granted.</p><p><a href="${escaped(to)}" rel="noreferrer">Return to ${escaped(host)}</a></p>`,
  );
}
