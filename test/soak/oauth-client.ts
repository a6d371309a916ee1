/** `npm run soak -- oauth-client`: the official suite's scenarios for OAuth clients, on the router's own client. */
import { join } from "node:path";
import { runClientSuite } from "../fakes/conformance-suite.ts";
import type { Say } from "./world.ts";

const program = join(import.meta.dirname, "..", "fakes", "conformance-client.ts");

/** `draft` has scenarios of other parts of a client, too, which the router's OAuth client is not. */
const parts = [
  { suite: "auth" },
  { suite: "draft" },
  { suite: "backcompat" },
  { scenario: "auth/client-credentials-basic" },
] as const;

export async function soakOauthClient(say: Say): Promise<string[]> {
  const faults: string[] = [];
  for (const part of parts)
    for (const [scenario, checks] of await runClientSuite(program, part)) {
      if (!scenario.startsWith("auth/")) continue;
      const wrong = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
      const good = checks.filter(({ status }) => status === "SUCCESS");
      say(`${scenario}: ${good.length} held, ${wrong.length} did not`);
      if (good.length + wrong.length === 0) faults.push(`${scenario}: nothing was checked`);
      for (const { id, errorMessage = "" } of wrong)
        faults.push(`${scenario} ${id} ${errorMessage}`);
    }
  return faults;
}
