/** Codes that only a holder of MASTER_KEY can make, for rows that must be as this router wrote them. */
export interface Mac {
  /** The beginning of every code that is made now, so that a query finds rows with older codes. */
  codePrefix: string;
  /** `<codePrefix><43 characters of base64url>` */
  code(text: string): Promise<string>;
  /** True under MASTER_KEY and under MASTER_KEY_PREVIOUS. False for anything that is no code of that text. */
  check(text: string, code: string | null): Promise<boolean>;
}
