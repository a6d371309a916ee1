/**
 * Claude Code and Codex, unmodified, do two turns with a tool; only their base URL and key are the router's. And how many requests
 * they make after each error of the model endpoints.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isObject, own, type JsonObject } from "../../src/domain/json.ts";
import { errorAnswer } from "../../src/http/models/errors.ts";
import { createModelTenant } from "../fakes/model-world.ts";
import type { SharedRouter } from "../fakes/shared-router.ts";
import { answerAt, type Use } from "../fakes/wire-answers.ts";
import { sendJson, startWireServer, type WireServer } from "../fakes/wire-server.ts";
import { eventsAt } from "../fakes/wire-streams.ts";
import { modelErrors } from "../fixtures/model-errors.ts";
import { patient } from "../setup/patience.ts";
import { agentProgram, areAgentsInstalled } from "./clients/installed.ts";

const slug = "agents";
const secret = "The word is heron.";
const answer = "It says heron.";
const home = mkdtempSync(join(tmpdir(), "router-agents-"));
const note = join(home, "note.txt");
afterAll(() => rmSync(home, { recursive: true, force: true }));

const namesIn = (body: JsonObject): unknown[] =>
  ((own(body, "tools") ?? []) as JsonObject[]).map((tool) => own(tool, "name"));

/** What the model wants first: the agent's own tool that reads a file. */
function useIn(body: JsonObject): Use | undefined {
  const names = namesIn(body);
  const id = "call_1";
  if (names.includes("Read")) return { id, name: "Read", input: { file_path: note } };
  const cat = `cat ${note}`;
  if (names.includes("exec_command")) return { id, name: "exec_command", input: { cmd: cat } };
  if (names.includes("shell_command"))
    return { id, name: "shell_command", input: { command: cat } };
  return names.includes("shell")
    ? { id, name: "shell", input: { command: ["cat", note] } }
    : undefined;
}

interface Asking {
  base: string;
  key: string;
  prompt: string;
  /** aborted when enough is known */
  signal?: AbortSignal;
}

const run = (
  program: string,
  args: readonly string[],
  { env, signal }: { env: Record<string, string>; signal: AbortSignal | undefined },
): Promise<string> =>
  new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      {
        cwd: home,
        timeout: patient(100_000),
        killSignal: "SIGKILL",
        env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
        ...(signal !== undefined && { signal }),
      },
      (fault, out, errors) =>
        resolve(`${out}${fault === null ? "" : `\n${fault.message}\n${errors}`}`),
    );
    child.stdin?.end();
  });

const agents = {
  claude: ({ base, key, prompt, signal }: Asking) =>
    run(
      agentProgram("claude"),
      ["-p", prompt, "--model", "claude-sonnet-4-6", "--allowedTools", "Read"],
      {
        env: {
          ANTHROPIC_BASE_URL: base,
          ANTHROPIC_AUTH_TOKEN: key,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        },
        signal,
      },
    ),
  codex({ base, key, prompt, signal }: Asking) {
    const provided = `{name="router",base_url="${base}/v1",env_key="ROUTER_KEY",wire_api="responses"}`;
    const settings = ["model_provider=router", `model_providers.router=${provided}`];
    return run(
      agentProgram("codex"),
      [
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "--model",
        "gpt-5.4-mini",
        ...settings.flatMap((setting) => ["-c", setting]),
        prompt,
      ],
      { env: { ROUTER_KEY: key }, signal },
    );
  },
};

// Only `npm run clients -- agents` installs them.
describe.skipIf(!areAgentsInstalled)("an unmodified agent", () => {
  let router: SharedRouter;
  let provider: WireServer;
  let key = "";
  let bodies: JsonObject[] = [];
  const asked: string[] = [];

  beforeAll(async () => {
    writeFileSync(note, secret);
    provider = await startWireServer({
      receives: ({ json, path }) => {
        bodies.push(json);
        asked.push(path);
      },
      async answers({ wire: spoken, json }, response) {
        const wire = spoken ?? "compatible";
        const hasResult = JSON.stringify(json).includes(secret);
        const use = hasResult ? undefined : useIn(json);
        const said = use === undefined ? { text: answer } : { text: "", toolUse: use };
        if (json["stream"] !== true) return sendJson(response, 200, answerAt(wire, said));
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const event of eventsAt(wire, said))
          if (!response.write(event)) await once(response, "drain");
        response.end();
      },
    });
    const tenant = await createModelTenant(slug, provider);
    ({ router } = tenant);
    // Codex offers its provider's web search in every request.
    await tenant.admin("PUT", `/tenants/${slug}/policy`, {
      modelEndpoints: { toolUsd: { web_search: 0.01 } },
    });
    key = await tenant.keyWith();
  });
  afterAll(async () => {
    await provider.stop();
  });

  const prompt = `Read ${note} and say what it says.`;
  const base = () => `${router.url}/t/${slug}`;

  it("Claude Code reads a file by its tool", { timeout: patient(120_000) }, async () => {
    bodies = [];
    const out = await agents.claude({ base: base(), key, prompt });
    expect([out.trim(), bodies.length >= 2]).toEqual([answer, true]);
  });

  it("Codex reads a file by its tool", { timeout: patient(120_000) }, async () => {
    bodies = [];
    const out = await agents.codex({ base: base(), key, prompt });
    if (!isObject(bodies[0])) throw new Error(out);
    expect(out).toContain(answer);
  });
});

/** Requests after which an agent is ended that would go on for long. */
const enoughRetries = 3;

/** Requests that an agent makes in all, where it isn't one. Claude Code repeats most 400s without one beta after another. */
const repeated: Readonly<Record<keyof typeof agents, Readonly<Record<string, number | "many">>>> = {
  claude: {
    "no such model": 2,
    "a request that its provider refuses": 6,
    "a refused member": 6,
    "what can't be translated": 6,
    ...Object.fromEntries(
      [
        "no key",
        "running calls in the way",
        "a rate",
        "calls at once",
        "providers that fail",
        "a router that is away",
        "a bug",
      ].map((name) => [name, "many" as const]),
    ),
  },
  codex: Object.fromEntries([
    ...[
      "no key",
      "running calls in the way",
      "a rate",
      "calls at once",
      "a pending approval",
      "a stream that isn't kept",
      "a large body",
    ].map((name) => [name, 6] as const),
    ...[
      "providers that fail",
      "a key that its provider refuses",
      "a router that is away",
      "a bug",
    ].map((name) => [name, "many"] as const),
  ]),
};

describe.skipIf(!areAgentsInstalled).each(["claude", "codex"] as const)("%s after", (agent) => {
  const dialect = agent === "claude" ? "anthropic" : "openai";
  it.each(Object.entries(modelErrors))(
    "%s makes as many requests as are expected",
    { timeout: patient(120_000) },
    async (name, { refusal }) => {
      const expected = repeated[agent][name] ?? 1;
      let count = 0;
      const enough = new AbortController();
      const server = createServer((request, response) => {
        request.resume().once("end", () => {
          if (request.method === "POST") count += 1;
          if (expected === "many" && count === enoughRetries) enough.abort();
          const about = { dialect, requestId: "req_1" } as const;
          const { status, headers, body } = errorAnswer(refusal, about);
          response.writeHead(status, { "Content-Type": "application/json", ...headers });
          response.end(JSON.stringify(body));
        });
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await agents[agent]({ base, key: "k", prompt: "Say hello.", signal: enough.signal });
      server.closeAllConnections();
      server.close();
      expect(count).toBe(expected === "many" ? enoughRetries : expected);
    },
  );
});
