/** Pages to connect a person's own account at a registered server. Slugs need no escaping. */
import { alertOf, signInButton } from "./account-page.ts";
import { document, escaped } from "./consent-page.ts";

export interface ConnectPlace {
  tenant: string;
  server: string;
}

const about = ({ tenant, server }: ConnectPlace): string =>
  `<h1>Connect your own account at ${server}</h1><dl><dt>Tenant</dt><dd>${tenant}</dd><dt>Server</dt><dd>${server}</dd></dl><p>The router then uses the server in your name, for your calls alone. Next, the server asks who you are there.</p>`;

const formOf = ({ tenant, server }: ConnectPlace, fields: string): string =>
  `<form method="post" action="connect?tenant=${tenant}&amp;server=${server}">${fields}</form>`;

const keyField = `<label for="key">The API key that was issued for you.</label><input id="key" name="key" type="password" autocomplete="off" spellcheck="false"><button>Go on</button>`;

export function connectPage(
  place: ConnectPlace & { identityProviderHost: string | null },
  wrong: string | null,
): string {
  const { server, identityProviderHost } = place;
  // Two forms, since the Enter key triggers a form's first button.
  const signIn =
    identityProviderHost === null ? "" : formOf(place, signInButton(identityProviderHost));
  return document(
    `Connect ${server}`,
    `${about(place)}${alertOf(wrong)}${signIn}${formOf(place, keyField)}`,
  );
}

export const connectOwnPage = (place: ConnectPlace, once: string, wrong: string | null): string =>
  document(
    `Connect ${place.server}`,
    `${about(place)}${alertOf(wrong)}${formOf(place, `<input type="hidden" name="once" value="${escaped(once)}"><button>Go on</button>`)}`,
  );

/** A link, since the page's `form-action` blocks redirects to other hosts. */
export const redirectPage = ({ server, url }: { server: string; url: string }): string =>
  document(
    `Connect ${server}`,
    `<h1>One more step: your own account at ${server}</h1><p>Sign in there, and allow the router to use the server in your name.</p><p><a href="${escaped(url)}">Go on to ${escaped(new URL(url).host)}</a></p>`,
  );

export const connectedPage = ({
  server,
  returnTo,
  isAuthorized,
}: {
  server: string;
  returnTo: string | null;
  isAuthorized: boolean;
}): string => {
  const text = isAuthorized
    ? `The router may now use the server <b>${server}</b>.`
    : `The router may not use the server <b>${server}</b> in your name. Calls to the server will say how to go on.`;
  const next =
    returnTo === null
      ? "You can close this page."
      : `<a href="${escaped(returnTo)}">Go on</a><meta http-equiv="refresh" content="0;url=${escaped(returnTo)}">`;
  return `<!doctype html><meta charset="utf-8"><title>Sampling Router</title><p>${text} ${next}</p>`;
};
