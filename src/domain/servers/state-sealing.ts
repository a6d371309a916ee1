/** A server binds `requestState` to the identity it sees, and callers that share the entry's secret look alike. */
import type { McpServer } from "./server.ts";
import { isPerUser } from "./server.ts";

type Entry = Pick<McpServer, "headerNames" | "learned" | "oauth" | "sampling">;

const sharesSecret = ({ headerNames, oauth }: Entry): boolean =>
  headerNames.length > 0 || (oauth !== null && !isPerUser({ oauth }));

export const sealsState = (server: Entry): boolean =>
  server.sampling !== "client" && sharesSecret(server);

export function unsealedSentence(server: Entry): string | null {
  if (sealsState(server)) return null;
  return sharesSecret(server)
    ? "Not protected: in the mode \"client\" a requestState isn't bound to its caller, and all callers share the entry's secret."
    : "Not protected: the entry has no secret that its callers share, so the server itself must bind a requestState to its caller.";
}
