/** The plaintext of a credential's seal: a key or a cloud's JSON, and the headers that requests carry in addition. */
export type HeaderValues = Readonly<Record<string, string>>;

export interface CredentialSecret {
  secret: string;
  headers: HeaderValues;
}

export const writtenSecret = ({ secret, headers }: CredentialSecret): string =>
  Object.keys(headers).length === 0 ? secret : JSON.stringify({ secret, headers });

export const readSecret = (
  plain: string,
  { headerNames }: { headerNames?: readonly string[] | null },
): CredentialSecret =>
  headerNames?.length ? (JSON.parse(plain) as CredentialSecret) : { secret: plain, headers: {} };
