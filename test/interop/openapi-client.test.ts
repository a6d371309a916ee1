/** A client that is generated from the OpenAPI document, as a stranger generates one. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const checkout = join(import.meta.dirname, "..", "..");
const own = join(checkout, "node_modules", "node", "bin", "node");
const node = existsSync(own) ? own : process.execPath;

let router: SharedRouter;
let directory: string;

beforeAll(async () => {
  router = await borrowRouter();
  directory = mkdtempSync(join(tmpdir(), "router-openapi-"));
  symlinkSync(join(checkout, "node_modules"), join(directory, "node_modules"));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
});

function run(...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(node, args, { cwd: directory, encoding: "utf8" });
  // What it printed says what is wrong.
  expect([status, stdout, stderr]).toEqual([0, stdout, stderr]);
  return stdout;
}

/** What a user writes: every call typed by the document, none by hand. */
const program = `
import createClient from "openapi-fetch";
import type { paths } from "./schema.d.ts";

const [, , baseUrl = "", adminToken = ""] = process.argv;
const clientOf = (token: string) =>
  createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${token}\` } });
const admin = clientOf(adminToken);
function found<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const { slug } = found(
  await admin.POST("/admin/v1/tenants", { body: { slug: "generated", name: "Generated" } }),
);
const path = { tenant: slug };
const credential = found(
  await admin.POST("/admin/v1/tenants/{tenant}/credentials", {
    params: { path },
    body: { provider: "demo", name: "demo", apiKey: "none" },
  }),
);
const { key } = found(
  await admin.POST("/admin/v1/tenants/{tenant}/keys", {
    params: { path },
    body: { name: "all", scopes: ["sampling"], expiresAt: "2100-01-01" },
  }),
);
const caller = clientOf(key);
const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Say hello." } }];
const choice = found(await caller.POST("/v1/route", { body: { messages, maxTokens: 20 } }));
const answer = found(
  await caller.POST("/v1/sampling", {
    params: {
      header: { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "sampling-router/createMessage" },
    },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "sampling-router/createMessage",
      params: {
        messages,
        maxTokens: 20,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
        },
      },
    },
  }),
);
const requests = found(
  await admin.GET("/admin/v1/tenants/{tenant}/requests", {
    params: { path, query: { from: "2020-01-01T00:00:00+01:00", outcome: "succeeded", limit: 5 } },
  }),
);
const usage = found(
  await admin.GET("/admin/v1/tenants/{tenant}/usage", {
    params: { path, query: { from: Date.now() - 3_600_000, bucket: "hour" } },
  }),
);
const misspelt = await admin.GET("/admin/v1/tenants/{tenant}/requests/export", {
  // @ts-expect-error: there is no such filter
  params: { path, query: { outcom: "failed" } },
  parseAs: "text",
});
const deleted = await admin.DELETE("/admin/v1/tenants/{tenant}/credentials/{id}", {
  params: { path: { ...path, id: credential.id } },
});
const cost: number = usage.data[0]?.costUsd ?? -1;
console.log(
  JSON.stringify({
    chosen: choice.candidates[0]?.model,
    model: answer.result?.model,
    attempts: answer.result?._meta?.["sampling-router/decision"]?.attempts,
    recorded: requests.data.map(({ outcome }) => outcome),
    succeeded: usage.data[0]?.succeeded,
    cost,
    misspelt: [misspelt.response.status, misspelt.error],
    deleted: deleted.response.status,
  }),
);
`;

it("compiles strictly and works as generated", async () => {
  const document = (await (await fetch(`${router.url}/admin/v1/openapi.json`)).json()) as {
    servers: { url: string }[];
  };
  writeFileSync(join(directory, "openapi.json"), JSON.stringify(document));
  writeFileSync(join(directory, "client.ts"), program);
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module" }));
  run(
    "--import",
    join(import.meta.dirname, "..", "setup", "typescript-api.ts"),
    join(checkout, "node_modules", "openapi-typescript", "bin", "cli.js"),
    "openapi.json",
    "--output",
    "schema.d.ts",
  );
  const settings =
    "--strict --noEmit --skipLibCheck --module nodenext --target es2024 --types node";
  run(
    join(checkout, "node_modules", "typescript", "bin", "tsc"),
    ...settings.split(" "),
    "--allowImportingTsExtensions",
    "client.ts",
  );
  const printed = run("client.ts", document.servers[0]?.url ?? "", router.adminToken);
  expect(JSON.parse(printed)).toEqual({
    chosen: "demo-large",
    model: "demo/demo-large",
    attempts: 1,
    recorded: ["succeeded"],
    succeeded: 1,
    cost: expect.any(Number) as number,
    misspelt: [
      400,
      expect.objectContaining({ reason: "invalid_params", path: "outcom" }) as object,
    ],
    deleted: 204,
  });
});
