/** The holder of a grant, part of its tokens: tenant and API key. Both ids are random and name their database. */

const holderPattern = /^(ten_[0-9a-z]+)\.(key_[0-9a-z]+)$/;
const tokenPattern =
  /^(ten_[0-9a-z]+)\.(key_[0-9a-z]+):([A-Za-z0-9_-]{1,64}):[A-Za-z0-9_-]{1,128}$/;

export interface Holder {
  tenantId: string;
  keyId: string;
}

export const holderText = ({ tenantId, keyId }: Holder): string => `${tenantId}.${keyId}`;

export function holderIn(text: string): Holder | null {
  const found = holderPattern.exec(text);
  return found === null ? null : { tenantId: found[1] ?? "", keyId: found[2] ?? "" };
}
export const tenantIn = (text: string): string | null => holderIn(text)?.tenantId ?? null;

export interface HeldGrant extends Holder {
  grantId: string;
}

/** Of an access token, refresh token or code; null: not from this router. */
export function grantOfToken(token: string): HeldGrant | null {
  const found = tokenPattern.exec(token);
  if (found === null) return null;
  return { tenantId: found[1] ?? "", keyId: found[2] ?? "", grantId: found[3] ?? "" };
}

export const grantSentTo = (address: string): HeldGrant | null =>
  grantOfToken(URL.parse(address)?.searchParams.get("code") ?? "");

export const checkKeyOf = ({ grantId, ...holder }: HeldGrant): string =>
  `check:${holderText(holder)}:${grantId}`;

/** Finds the router's tokens in any text. */
export const anyToken = /\bten_[0-9a-z]+\.key_[0-9a-z]+:/;
