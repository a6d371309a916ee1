/** A deployment's catalogue by its admin API. */
import { z } from "zod";
import { counted } from "../domain/counted.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { linesOfState, linesOfSync } from "./catalogue-lines.ts";

/** ms, longer than the Worker's own timeout. */
const deadlineMs = 60_000;
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

const names = z.array(z.string());
const price = z.object({ input: z.number().nullable(), output: z.number().nullable() });
const outcome = z.discriminatedUnion("state", [
  z.object({
    state: z.literal("synced"),
    version: z.string(),
    changes: z.object({
      added: names,
      estimated: names,
      retired: names,
      repriced: z.array(z.object({ model: z.string(), from: price, to: price })),
      implausible: names,
    }),
  }),
  z.object({ state: z.literal("unchanged"), version: z.string() }),
  z.object({ state: z.literal("refused"), fault: z.string() }),
]);
const state = z.object({
  version: z.string(),
  models: z.int(),
  syncedAt: z.int().nullable(),
  dueAt: z.int().nullable(),
  fault: z.string().nullable(),
});
const problem = z.looseObject({ title: z.string(), detail: z.string() });

/** Checked before the token is sent. */
export function problemWithRemote(url: string, token: string | undefined): string | null {
  const parsed = URL.parse(url);
  if (parsed === null) return `not a URL: ${url}`;
  const isSafe = parsed.protocol === "https:" || loopback.has(parsed.hostname);
  if (!isSafe) return "the URL must be https: the operator's token is sent to it";
  return token === undefined || token === "" ? "ADMIN_TOKEN is missing from the environment" : null;
}

/** `url`: for example `https://router.example`. */
export async function remoteCatalogue(asked: {
  command: "sync" | "show";
  url: string;
  token: string | undefined;
  fetch: typeof fetch;
}): Promise<Result<string[], string>> {
  const { command, url, token } = asked;
  const wrong = problemWithRemote(url, token);
  if (wrong !== null) return err(wrong);
  const path = command === "sync" ? "/admin/v1/catalogue/sync" : "/admin/v1/catalogue";
  let answer: Response;
  let body: unknown;
  try {
    answer = await asked.fetch(new URL(path, url), {
      method: command === "sync" ? "POST" : "GET",
      headers: { authorization: `Bearer ${token}` },
      // A redirect could leak the token.
      redirect: "manual",
      signal: AbortSignal.timeout(deadlineMs),
    });
    body = await answer.json();
  } catch {
    return err(`${url} does not answer like a sampling router`);
  }
  if (answer.status !== 200) {
    const refused = problem.safeParse(body);
    return err(
      `${url} answered ${answer.status}${refused.success ? `: ${refused.data.detail}` : ""}`,
    );
  }
  if (command === "sync") {
    const parsed = outcome.safeParse(body);
    return parsed.success
      ? linesOfSync(parsed.data, "The file at its CATALOGUE_URL")
      : err(`${url} does not answer like a sampling router`);
  }
  const parsed = state.safeParse(body);
  return parsed.success
    ? ok([...linesOfState(parsed.data), `${counted(parsed.data.models, "model")}.`])
    : err(`${url} does not answer like a sampling router`);
}
