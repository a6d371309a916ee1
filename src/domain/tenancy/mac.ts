/** Codes that only a holder of MASTER_KEY can make: for rows that must be as this router wrote them. */
export interface Mac {
  /** What every code made now begins with, so that a query finds the rows whose code is older. */
  codePrefix: string;
  /** `<codePrefix><43 characters of base64url>` */
  code(text: string): Promise<string>;
  /** True under MASTER_KEY and under MASTER_KEY_PREVIOUS. False for anything that is no such code. */
  check(text: string, code: string | null): Promise<boolean>;
}
