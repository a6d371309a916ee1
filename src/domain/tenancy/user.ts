/** A person on whose behalf a caller calls. */
export interface User {
  /** a keyed hash of issuer and subject: nobody without the key finds the person by it */
  id: string;
  /** as the tenant's policy lets it be kept; absent: no name is known, or none may be kept */
  name?: string;
}
