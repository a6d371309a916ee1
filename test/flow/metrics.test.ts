/** `/metrics` of a router that runs, read with the operator's token, and by Debian's Prometheus where it is installed. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, it, describe } from "vitest";
import { asking, callOnce } from "../fakes/caller.ts";
import { isInstalled } from "../fakes/installed.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { patient } from "../setup/patience.ts";

let router: SharedRouter;
const read = (token?: string): Promise<Response> =>
  fetch(`${router.url}/metrics`, {
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  });

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

describe("/metrics", () => {
  beforeAll(async () => {
    router = await borrowRouter();
    await callOnce(router, router.demoKey, asking("hello"));
  });

  it("shows the operator what was measured, and nobody else", async () => {
    const answer = await read(router.adminToken);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    expect(text).toMatch(/^sampling_router_admissions_total [1-9]/m);
    expect(text).toMatch(/^gen_ai_client_operation_duration_seconds_count\{/m);
    expect(text).toMatch(/^sampling_router_open\{sampling_router_kind="streams"\} \d+$/m);
    expect(text).toMatch(/^sampling_router_database_commit_seconds_count [1-9]\d*$/m);
    expect(text).toMatch(/^sampling_router_database_size_bytes [1-9]\d{4,}$/m);
    expect(text).toMatch(/^sampling_router_database_waiting \d+$/m);
    for (const token of [undefined, router.demoKey, "another token, as long"])
      expect((await read(token)).status).toBe(401);
  });

  it.skipIf(!isInstalled("prometheus"))(
    "is scraped by Debian's Prometheus (skipped where prometheus is not installed)",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "sampling-router-"));
      const port = await freePort();
      const { host } = new URL(router.url);
      writeFileSync(join(folder, "token"), router.adminToken);
      writeFileSync(
        join(folder, "prometheus.yml"),
        `scrape_configs:
  - job_name: sampling-router
    scrape_interval: 1s
    authorization: { credentials_file: token }
    static_configs: [{ targets: ["${host}"] }]
`,
      );
      const prometheus = spawn(
        "prometheus",
        [
          "--config.file=prometheus.yml",
          "--storage.tsdb.path=data",
          `--web.listen-address=127.0.0.1:${port}`,
        ],
        { cwd: folder, stdio: "ignore" },
      );
      try {
        const query = "sampling_router_admissions_total";
        const asked = async (): Promise<unknown> => {
          const found = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${query}`).catch(
            () => null,
          );
          return found === null ? null : found.json();
        };
        await expect
          .poll(asked, { timeout: patient(25_000), interval: 500 })
          .toMatchObject({ data: { result: [{ metric: { job: "sampling-router" } }] } });
      } finally {
        const ended = new Promise((resolve) => prometheus.once("exit", resolve));
        prometheus.kill();
        await ended;
        rmSync(folder, { recursive: true });
      }
    },
  );
});
