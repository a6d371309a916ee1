/** A session of the console: what the cookie in a browser stands for. */
import { canonicalJson } from "../canonical.ts";
import type { Role } from "./scopes.ts";

export interface ConsoleSession {
  id: string;
  /** null: the session sees every tenant */
  tenantId: string | null;
  kind: "operator" | "key" | "person";
  /** the key's id, `operator`, or the identity provider's id of the person */
  subject: string;
  /** of the identity provider; null: no provider vouches */
  issuer: string | null;
  /** what the log calls the person; null: not a person */
  name: string | null;
  role: Role;
  createdAt: number;
  expiresAt: number;
}

/** A session as its row has it. */
export interface StoredConsoleSession extends ConsoleSession {
  /** hex SHA-256 of the secret part of the cookie */
  secretHash: string;
  /** a code under MASTER_KEY over `codedProof` */
  proof: string;
  /** a code under MASTER_KEY over `codedSession` */
  code: string;
}

/**
 * What was shown at the sign-in, as a hash. The hash is stored nowhere, so a session ends when its key gets another
 * secret, or the operator another token; and nobody can try tokens on the row.
 */
export const codedProof = (id: string, proof: string): string =>
  canonicalJson(["proof", id, proof]);

/** What a session's code covers. Who can write to the database, and has no MASTER_KEY, can make no session. */
export const codedSession = (session: Omit<StoredConsoleSession, "code">): string =>
  canonicalJson([
    session.id,
    session.tenantId,
    session.kind,
    session.subject,
    session.issuer,
    session.name,
    session.role,
    session.createdAt,
    session.expiresAt,
    session.secretHash,
    session.proof,
  ]);
