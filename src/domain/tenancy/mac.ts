/** Message authentication codes under MASTER_KEY, for rows that only the router may write. */
export interface Mac {
  /** Prefix of current codes, to find older ones by query. */
  codePrefix: string;
  /** `<codePrefix><43 characters of base64url>` */
  code(text: string): Promise<string>;
  /** Also accepts MASTER_KEY_PREVIOUS. */
  check(text: string, code: string | null): Promise<boolean>;
}
