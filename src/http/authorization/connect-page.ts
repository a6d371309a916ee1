/** Pages on which a person connects an account of their own at a registered server. Slugs need no escaping. */
import { document, escaped } from "./consent-page.ts";

export interface ConnectPlace {
  tenant: string;
  server: string;
}

export function connectPage({ tenant, server }: ConnectPlace, wrong: string | null): string {
  const said = wrong === null ? "" : `<p class="wrong" role="alert">${escaped(wrong)}</p>`;
  return document(
    `Connect ${server}`,
    `<h1>Connect your own account at ${server}</h1><dl><dt>Tenant</dt><dd>${tenant}</dd><dt>Server</dt><dd>${server}</dd></dl><p>The router then uses the server in your name, for your calls alone. Next, the server asks who you are there.</p>${said}<form method="post" action="/oauth/connect?tenant=${tenant}&amp;server=${server}"><label for="key">The API key that was issued for you.</label><input id="key" name="key" type="password" autocomplete="off" spellcheck="false"><button>Go on</button></form><p>You have none, since you sign in? Connect your program anew: its consent page leads on to ${server}.</p>`,
  );
}

/** A link and no redirect: browsers hold a form's redirects to the form's policy, which names no other host. */
export const onwardPage = ({ server, url }: { server: string; url: string }): string =>
  document(
    `Connect ${server}`,
    `<h1>One more step: your own account at ${server}</h1><p>Sign in there, and allow the router to use the server in your name.</p><p><a href="${escaped(url)}">Go on to ${escaped(new URL(url).host)}</a></p>`,
  );

/** @param returnTo where the browser goes on to by itself; null: nowhere */
export const connectedPage = ({
  server,
  returnTo,
  isAuthorized,
}: {
  server: string;
  returnTo: string | null;
  isAuthorized: boolean;
}): string => {
  const said = isAuthorized
    ? `The router may now use the server <b>${server}</b>.`
    : `The router may not use the server <b>${server}</b> in your name. Calls to the server will say how to go on.`;
  const next =
    returnTo === null
      ? "You can close this page."
      : `<a href="${escaped(returnTo)}">Go on</a><meta http-equiv="refresh" content="0;url=${escaped(returnTo)}">`;
  return `<!doctype html><meta charset="utf-8"><title>Sampling Router</title><p>${said} ${next}</p>`;
};
