/**
 * Models that a provider does not list for a key, on a running router. A list counts at the provider's own address
 * alone, so a shared router with a `baseUrl` can't show this. This router has a forward proxy, behind which a fake
 * stands for https://api.openai.com, with a certificate that the router's process is told to trust.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, at, callOnce, createTenant } from "../fakes/caller.ts";
import { startForwardProxy, type ForwardProxy } from "../fakes/forward-proxy.ts";
import { makeCertificate } from "../fakes/https-pages.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { answerAt } from "../fakes/wire-answers.ts";
import { sendJson, startWireServer, type WireServer } from "../fakes/wire-server.ts";
import { patient } from "../setup/patience.ts";

const folder = mkdtempSync(join(tmpdir(), "own-address-"));
const keys = { whole: "key-of-a-whole-list", cut: "key-of-a-cut-list" };
const listed = ["gpt-4.1-mini", "gpt-5.4-mini"].map((id) => ({ id }));

let provider: WireServer;
let tls: Server;
let proxy: ForwardProxy;
let router: Router;
/** the requests for lists, as key and path */
let lists: string[] = [];
let giveLists: () => void;
const mayGiveLists = new Promise<void>((resolve) => (giveLists = resolve));

beforeAll(async () => {
  provider = await startWireServer({
    async answers({ path, wire, headers }, response) {
      if (wire !== null) return sendJson(response, 200, answerAt(wire, { text: "fine" }));
      const key = headers["authorization"]?.replace("Bearer ", "");
      lists.push(`${key} ${path}`);
      await mayGiveLists;
      if (key === keys.whole) return sendJson(response, 200, { data: listed });
      const page = { data: listed, has_more: true, last_id: listed.at(-1)?.id };
      return path.includes("after_id")
        ? sendJson(response, 503, {})
        : sendJson(response, 200, page);
    },
  });
  const { key, cert, env } = makeCertificate(folder, "api.openai.com");
  tls = createServer({ key, cert }, (socket) => {
    const peer = connect(Number(new URL(provider.url("")).port), "127.0.0.1");
    for (const each of [socket, peer]) each.on("error", () => peer.destroy());
    socket.pipe(peer).pipe(socket);
  });
  await new Promise<void>((resolve) => tls.listen(0, "127.0.0.1", resolve));
  proxy = await startForwardProxy({ port: (tls.address() as AddressInfo).port });
  router = await startRouter({ host: "node", env: { HTTPS_PROXY: proxy.url, ...env } });
}, 120_000);
afterAll(async () => {
  await router?.stop();
  await proxy?.stop();
  tls?.close();
  await provider?.stop();
  rmSync(folder, { recursive: true });
});

const params = asking("hello", { modelPreferences: { hints: [{ name: "gpt-4.1" }] } });

async function tenant(slug: string, apiKey: string) {
  const { key, credentialId } = await createTenant(router, slug, { provider: "openai", apiKey });
  const admin = adminOf(router, router.adminToken);
  const credential = `/tenants/${slug}/credentials/${credentialId}`;
  return {
    /** the model that answered */
    async call(): Promise<unknown> {
      const answer = await callOnce(router, key, params);
      return at(answer.get("result._meta.sampling-router/decision"), "model");
    },
    /** why the dry run excludes the hinted model */
    async excludedBy(): Promise<unknown> {
      const answer = await fetch(`${router.url}/v1/route`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify(params),
      });
      const { candidates } = (await answer.json()) as {
        candidates: { model: string; excludedBy?: string }[];
      };
      return candidates.find(({ model }) => model === "gpt-4.1")?.excludedBy ?? null;
    },
    async listing(): Promise<unknown> {
      const all = (await admin("GET", `/tenants/${slug}/credentials`)).get("data") as object[];
      return at(all[0], "listing");
    },
    check: () => admin("POST", `${credential}/check`),
  };
}

describe("the list of models of a credential", () => {
  it("is read once, behind the first answered call, and excludes what it lacks", async () => {
    const { call, excludedBy, listing } = await tenant("whole-list", keys.whole);
    expect([await excludedBy(), lists]).toEqual([null, []]);
    // The call is answered while the list is held back.
    expect(await call()).toBe("gpt-4.1");
    expect(await excludedBy()).toBeNull();
    await expect
      .poll(() => lists, { timeout: patient(5_000) })
      .toEqual([`${keys.whole} /v1/models`]);
    giveLists();
    await expect.poll(excludedBy, { timeout: patient(5_000) }).toBe("not_offered");
    expect(await listing()).toMatchObject({ models: 2 });
    for (const _ of ["second", "third"]) expect(await call()).toBe("gpt-4.1-mini");
    expect(lists).toHaveLength(1);
  });

  it("changes nothing where a page is lacking", async () => {
    giveLists();
    lists = [];
    const { call, check, excludedBy, listing } = await tenant("cut-list", keys.cut);
    expect(await call()).toBe("gpt-4.1");
    const pages = [
      `${keys.cut} /v1/models`,
      `${keys.cut} /v1/models?after_id=${listed.at(-1)?.id}`,
    ];
    await expect.poll(() => lists, { timeout: patient(5_000) }).toEqual(pages);
    // A check waits for the list, and reads it as a call does.
    expect((await check()).get("ok")).toBe(true);
    expect(lists).toEqual([...pages, ...pages]);
    expect([await listing(), await excludedBy(), await call()]).toEqual([null, null, "gpt-4.1"]);
  });
});
