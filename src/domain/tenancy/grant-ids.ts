/**
 * Who holds a grant, as the tokens of the grant name it: the tenant and the API key for which the token acts. Both ids
 * are random, and both end with the name of their database.
 */

const holderPattern = /^(ten_[0-9a-z]+)\.(key_[0-9a-z]+)$/;
const tokenPattern =
  /^(ten_[0-9a-z]+)\.(key_[0-9a-z]+):([A-Za-z0-9_-]{1,64}):[A-Za-z0-9_-]{1,128}$/;

export interface Holder {
  tenantId: string;
  keyId: string;
}

export const holderText = ({ tenantId, keyId }: Holder): string => `${tenantId}.${keyId}`;

/** null: the text names no holder. */
export function holderIn(text: string): Holder | null {
  const found = holderPattern.exec(text);
  return found === null ? null : { tenantId: found[1] ?? "", keyId: found[2] ?? "" };
}
export const tenantIn = (text: string): string | null => holderIn(text)?.tenantId ?? null;

/** A grant of one holder. */
export interface HeldGrant extends Holder {
  grantId: string;
}

/** The grant of an access token, a refresh token or a code; null: it is none of this router's. */
export function grantOfToken(token: string): HeldGrant | null {
  const found = tokenPattern.exec(token);
  if (found === null) return null;
  return { tenantId: found[1] ?? "", keyId: found[2] ?? "", grantId: found[3] ?? "" };
}

/** The grant that a code is for, in the address to which the code is sent; null: there is no code of this router's. */
export const grantSentTo = (address: string): HeldGrant | null =>
  grantOfToken(URL.parse(address)?.searchParams.get("code") ?? "");

/** The entry that says when the identity provider was last asked about a grant. */
export const checkKeyOf = ({ grantId, ...holder }: HeldGrant): string =>
  `check:${holderText(holder)}:${grantId}`;

/** A token of this router's, wherever it stands in a text. */
export const anyToken = /\bten_[0-9a-z]+\.key_[0-9a-z]+:/;
