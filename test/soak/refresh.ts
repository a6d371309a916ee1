/** `npm run soak -- refresh`: processes of one client refresh one token at once, with the SDK's own code. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { createEnding } from "../../src/start/ending.ts";
import { startEverything } from "../fakes/mcp-servers.ts";
import {
  authorizeUrl,
  cookiesIn,
  formRequest,
  pkce,
  redirectUri,
  registrationRequest,
} from "../fakes/oauth-client.ts";
import { startRouter, type Router, type RouterHost } from "../fakes/router.ts";
import { freePort } from "../fakes/sqld.ts";
import type { Say } from "./world.ts";

const processes = 8;
const pauseMs = 30_000;
const program = join(import.meta.dirname, "refresh-process.ts");

async function admin<T>(router: Router, path: string, body: object): Promise<T> {
  const headers = {
    Authorization: `Bearer ${router.adminToken}`,
    "Content-Type": "application/json",
  };
  const asked = { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`${router.url}/admin/v1${path}`, asked);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** A person lets a client in. @returns its id, and its tokens as JSON */
async function letIn(url: string, resource: string, key: string) {
  const registered = (await (await fetch(registrationRequest(url))).json()) as {
    client_id: string;
  };
  const { client_id: clientId } = registered;
  const { verifier, challenge } = pkce();
  const page = await fetch(authorizeUrl(url, { clientId, resource, challenge }));
  const handle = /name="handle" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const allowed = formRequest(`${url}/oauth/authorize`, { handle, key, decision: "allow" });
  allowed.headers.set("Cookie", cookiesIn(page.headers));
  const answer = await fetch(new Request(allowed, { redirect: "manual" }));
  const code = new URL(answer.headers.get("Location") ?? "").searchParams.get("code") ?? "";
  const given = await fetch(
    formRequest(`${url}/oauth/token`, {
      grant_type: "authorization_code",
      client_id: clientId,
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
    }),
  );
  if (!given.ok) throw new Error(`No tokens: ${await given.text()}`);
  return { clientId, tokens: JSON.stringify(await given.json()) };
}

function startProcess(resource: string, clientId: string) {
  const child = spawn(process.execPath, [program, resource, clientId], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async round(tokens: string): Promise<string> {
      child.stdin.write(`${tokens}\n`);
      const next = await lines.next();
      return next.done === true ? "The process has ended." : next.value;
    },
    stop: () => child.kill(),
  };
}

export async function soakRefresh(host: RouterHost, say: Say): Promise<string[]> {
  const ending = createEnding();
  try {
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const router = await startRouter({
      host,
      env: { PORT: port, PUBLIC_URL: url, ALLOW_PRIVATE_UPSTREAMS: "true" },
    });
    ending.add(async () => void (await router.stop()));
    const upstream = await startEverything();
    ending.add(() => upstream.stop());
    await admin(router, "/tenants", { slug: "eight", name: "Eight" });
    await admin(router, "/tenants/eight/servers", {
      slug: "notes",
      url: upstream.url,
      sampling: "router",
    });
    const made = { name: "person", scopes: ["proxy"] };
    const { key } = await admin<{ key: string }>(router, "/tenants/eight/keys", made);
    const resource = `${url}/mcp/eight/notes`;
    const { clientId, tokens } = await letIn(url, resource, key);

    const all = Array.from({ length: processes }, () => startProcess(resource, clientId));
    for (const each of all) ending.add(async () => void each.stop());
    const faults: string[] = [];
    const round = async (name: string, given: string): Promise<void> => {
      const said = await Promise.all(all.map((each) => each.round(given)));
      say(`${name}: ${said.filter((each) => each === "connected").length} of ${processes}`);
      faults.push(...said.filter((each) => each !== "connected").map((each) => `${name}: ${each}`));
    };
    await round("all with one token, at once", tokens);
    await wait(pauseMs);
    await round("each with its own, 30 s later", "");
    await wait(pauseMs);
    await round("each with its own, another 30 s later", "");
    return faults;
  } finally {
    await ending.run();
  }
}
