/** Claude Code and Codex, unmodified, do two turns with a tool; only their base URL and key are the router's. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isObject, own, type JsonObject } from "../../src/domain/json.ts";
import { createModelTenant } from "../fakes/model-world.ts";
import type { SharedRouter } from "../fakes/shared-router.ts";
import { answerAt, type Use } from "../fakes/wire-answers.ts";
import { sendJson, startWireServer, type WireServer } from "../fakes/wire-server.ts";
import { eventsAt } from "../fakes/wire-streams.ts";
import { patient } from "../setup/patience.ts";
import { agentProgram, areAgentsInstalled } from "./clients/installed.ts";

const slug = "agents";
const secret = "The word is heron.";
const answer = "It says heron.";
const home = mkdtempSync(join(tmpdir(), "router-agents-"));
const note = join(home, "note.txt");

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
    rmSync(home, { recursive: true, force: true });
  });

  const run = (program: string, args: readonly string[], env: Record<string, string>) =>
    new Promise<string>((resolve) => {
      bodies = [];
      const child = execFile(
        program,
        args,
        {
          cwd: home,
          timeout: patient(100_000),
          killSignal: "SIGKILL",
          env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
        },
        (fault, out, errors) =>
          resolve(`${out}${fault === null ? "" : `\n${fault.message}\n${errors}`}`),
      );
      child.stdin?.end();
    });
  const prompt = `Read ${note} and say what it says.`;
  const base = () => `${router.url}/t/${slug}`;

  it("Claude Code reads a file by its tool", { timeout: patient(120_000) }, async () => {
    const out = await run(
      agentProgram("claude"),
      ["-p", prompt, "--model", "claude-sonnet-4-6", "--allowedTools", "Read"],
      {
        ANTHROPIC_BASE_URL: base(),
        ANTHROPIC_AUTH_TOKEN: key,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
    );
    expect([out.trim(), bodies.length >= 2]).toEqual([answer, true]);
  });

  it("Codex reads a file by its tool", { timeout: patient(120_000) }, async () => {
    const provided = `{name="router",base_url="${base()}/v1",env_key="ROUTER_KEY",wire_api="responses"}`;
    const out = await run(
      agentProgram("codex"),
      [
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "--model",
        "gpt-5.4-mini",
        "-c",
        "model_provider=router",
        "-c",
        `model_providers.router=${provided}`,
        prompt,
      ],
      { ROUTER_KEY: key },
    );
    if (!isObject(bodies[0])) throw new Error(out);
    expect(out).toContain(answer);
  });
});
