/** A person's account pages. Values from programs are escaped. */
import type { Grant } from "../../domain/ports/authorization-server.ts";
import type { OwnAccount } from "../../domain/ports/server-stores.ts";
import type { OwnPage } from "../../pipeline/people/consent/person-pages.ts";
import { document, escaped } from "./consent-page.ts";

/** Relative, since a gateway may add a path. Slugs need no escaping. */
export const accountPath = (tenant: string): string => `account?tenant=${tenant}`;

export const alertOf = (wrong: string | null): string =>
  wrong === null ? "" : `<p class="wrong" role="alert">${escaped(wrong)}</p>`;

export const signInButton = (host: string): string =>
  `<p>You sign in at <b>${escaped(host)}</b>.</p><button name="decision" value="sign-in">Sign in</button>`;

const keyField = `<label for="key">The API key with which you authorize programs.</label><input id="key" name="key" type="password" autocomplete="off" spellcheck="false"><button name="decision" value="key">Go on</button>`;

export const signInPage = (
  { tenant, identityProviderHost }: { tenant: string; identityProviderHost: string | null },
  wrong: string | null,
): string =>
  document(
    "Authorized programs",
    `<h1>See the programs you authorized at ${tenant}</h1>${alertOf(wrong)}<form method="post" action="${accountPath(tenant)}">${
      identityProviderHost === null ? keyField : signInButton(identityProviderHost)
    }</form>`,
  );

const day = (at: number | null): string =>
  at === null ? "revoked" : `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

const row = (name: string, value: string): string => `<dt>${name}</dt><dd>${escaped(value)}</dd>`;

function grantPart({ id, clientName, redirectHost, resource, scopes, ...times }: Grant): string {
  const name = clientName.slice(0, 100);
  const rows = [
    row("It may use", URL.parse(resource)?.pathname ?? resource),
    row("Scope", scopes.join(" ")),
    ...(redirectHost === "" ? [] : [row("Went on to", redirectHost)]),
    row("Since", day(times.createdAt)),
    row("Until", day(times.expiresAt)),
  ];
  return `<section><h3>${escaped(name)}</h3><dl>${rows.join("")}</dl><button name="end" value="${escaped(id)}" aria-label="End the access of ${escaped(name)}">End its access</button></section>`;
}

const accountPart = ({ server, works }: OwnAccount): string =>
  `<section><h3>${server}</h3><p>${
    works ? "Connected." : "The server no longer issues tokens: connect your account again."
  }</p><button name="disconnect" value="${server}" aria-label="Disconnect your account at ${server}">Disconnect</button></section>`;

const listed = (parts: readonly string[], none: string): string =>
  parts.length === 0 ? `<p>${none}</p>` : parts.join("");

export function accountPage(
  tenant: string,
  { once, grants, accounts }: OwnPage,
  wrong: string | null,
): string {
  const programs = listed(grants.map(grantPart), "You have authorized no programs.");
  const own =
    accounts === null
      ? ""
      : `<h2>Your accounts at servers</h2>${listed(accounts.map(accountPart), "You have connected no account.")}`;
  return document(
    "Authorized programs",
    `<h1>Programs you authorized at ${tenant}</h1>${alertOf(wrong)}<form method="post" action="${accountPath(tenant)}"><input type="hidden" name="once" value="${escaped(once)}"><h2>Programs</h2>${programs}${own}<p><button name="sign-out" value="yes">Sign out</button></p></form>`,
  );
}
