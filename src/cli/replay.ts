/**
 * `npm run replay -- <requestId> [tenant]`: repeats a recorded decision on the running router and compares.
 * Exit code 1 if they differ.
 */
import { z } from "zod";
import { ok } from "../domain/result.ts";
import { commandLine, startCommand } from "../start/called.ts";
import { keptAdminToken } from "../start/secrets.ts";
import { parseSettings } from "../start/settings.ts";
import { answerHelp } from "./usage.ts";
import { say, sayFault } from "./output.ts";

const usage = `usage: ${commandLine("replay", "REQUEST_ID [TENANT]")}
Replays a recorded decision on the running router and compares. TENANT defaults to demo.`;

const answered = z.looseObject({
  same: z.boolean(),
  differences: z.array(z.string()),
  recorded: z.looseObject({
    catalogueVersion: z.string(),
    candidates: z.array(
      z.looseObject({ provider: z.string(), model: z.string(), score: z.number().optional() }),
    ),
  }),
});
const refused = z.looseObject({ detail: z.string() });

const fail = (problem: string): never => {
  sayFault(problem);
  process.exit(1);
};

answerHelp(usage);
const [requestId, tenant = "demo"] = process.argv.slice(2);
if (requestId === undefined) fail(usage);
const settings = parseSettings(process.env);
if (!settings.ok) throw fail(settings.error);
const { port, urlHost, stateDir, adminToken } = settings.value;
const token = adminToken === undefined ? keptAdminToken(stateDir) : ok(adminToken);
if (!token.ok) throw fail(token.error);
const url = `http://${urlHost}:${port}/admin/v1/tenants/${tenant}/requests/${requestId}/replay`;
const response = await fetch(url, {
  method: "POST",
  headers: { Authorization: `Bearer ${token.value}` },
}).catch(() => fail(`no router answers on port ${port}; start it with ${startCommand}`));
const body: unknown = await response.json();
if (!response.ok) {
  const problem = refused.safeParse(body);
  fail(problem.success ? problem.data.detail : `HTTP ${response.status}`);
}
const { same, differences, recorded } = answered.parse(body);
say(`${requestId}, catalogue ${recorded.catalogueVersion}`);
for (const [at, { provider, model, score }] of recorded.candidates.entries())
  say(`  ${String(at + 1).padStart(3)}. ${`${provider}/${model}`.padEnd(44)} ${score ?? ""}`);
say(same ? "The same decision." : "Not the same:");
for (const difference of differences) say(`  ${difference}`);
process.exitCode = same ? 0 : 1;
