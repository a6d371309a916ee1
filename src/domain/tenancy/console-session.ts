import { canonicalJson } from "../canonical.ts";
import type { Role } from "./scopes.ts";

export interface ConsoleSession {
  id: string;
  tenantId: string | null;
  kind: "operator" | "key" | "person";
  /** key id, `operator`, or the user's id at the identity provider */
  subject: string;
  issuer: string | null;
  name: string | null;
  role: Role;
  createdAt: number;
  expiresAt: number;
}

export interface StoredConsoleSession extends ConsoleSession {
  /** whose deletion ends the session */
  userId: string | null;
  secretHash: string;
  /** code over `codedProof` under MASTER_KEY */
  proof: string;
  /** code over `codedSession` under MASTER_KEY */
  code: string;
}

/** Rotating the presented secret ends the session, and the row can't be used to guess the secret. */
export const codedProof = (id: string, proof: string): string =>
  canonicalJson(["proof", id, proof]);

/** Authenticated columns; without MASTER_KEY, database access can't create a session. */
export const codedSession = (session: Omit<StoredConsoleSession, "code">): string =>
  canonicalJson([
    session.id,
    session.tenantId,
    session.kind,
    session.subject,
    session.issuer,
    session.name,
    session.userId,
    session.role,
    session.createdAt,
    session.expiresAt,
    session.secretHash,
    session.proof,
  ]);
