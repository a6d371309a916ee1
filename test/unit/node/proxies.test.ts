/** Outgoing requests use the proxy of the environment and stay guarded against private addresses. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isUnsent, networkCauseOf } from "../../../src/domain/network-fault.ts";
import { createOutgoing, type Outgoing } from "../../../src/node/outgoing.ts";
import type { ProxySettings } from "../../../src/node/proxies.ts";
import { createPublicFetch } from "../../../src/node/public-fetch.ts";
import { startFetchedServer, type FetchedServer } from "../../fakes/fetched-server.ts";
import { startForwardProxy, type ForwardProxy } from "../../fakes/forward-proxy.ts";
import { startHttpsPages, type HttpsPages } from "../../fakes/https-pages.ts";
import { freePort } from "../../fakes/sqld.ts";

let server: FetchedServer;
let plain: ForwardProxy;
let pages: HttpsPages;
let secure: ForwardProxy;
const folder = mkdtempSync(join(tmpdir(), "proxies-"));
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  server = await startFetchedServer({ "/v1": (_, response) => void response.end("answered") });
  pages = await startHttpsPages(folder);
  pages.pages.set("/v1", { answered: true });
  plain = await startForwardProxy({ port: Number(new URL(server.origin).port) });
  secure = await startForwardProxy({ port: Number(new URL(pages.url).port) });
});
afterEach(async () => {
  for (const proxy of [plain, secure]) {
    proxy.refuse(null);
    proxy.asked.length = 0;
  }
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
afterAll(async () => {
  server.stop();
  await Promise.all([plain.stop(), secure.stop(), pages.stop()]);
  rmSync(folder, { recursive: true });
});

function via(settings: Partial<ProxySettings>): Outgoing {
  const outgoing = createOutgoing({ http: null, https: null, except: "", ...settings });
  opened.push(outgoing);
  return outgoing;
}
const post = {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: "{}",
  redirect: "manual",
} as const;
const ways: Record<string, (outgoing: Outgoing, url: string) => Promise<{ status: number }>> = {
  fetch: ({ fetch }, url) => fetch(url, post),
  fetchShort: ({ fetchShort }, url) => fetchShort(url, post),
  fetchServer: ({ fetchServer }, url) =>
    fetchServer({
      url,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
      signal: new AbortController().signal,
    }),
};
const failureOf = async (asking: Promise<unknown>): Promise<unknown[]> => {
  const thrown: unknown = await asking.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
  return [networkCauseOf(thrown), isUnsent(thrown)];
};

describe.each(Object.keys(ways))("a request by %s", (way) => {
  const send = (outgoing: Outgoing, url: string) => ways[way]?.(outgoing, url) as Promise<Response>;

  it("takes the proxy for http, with the credentials of its URL", async () => {
    const outgoing = via({ http: plain.url.replace("//", "//user:pass%20word@") });
    expect((await send(outgoing, "http://provider.example/v1")).status).toBe(200);
    expect(plain.asked).toEqual(["POST http://provider.example/v1"]);
    expect(plain.authorization()).toBe(`Basic ${btoa("user:pass word")}`);
  });

  it("takes the proxy for https by CONNECT, and trusts no more certificates than without", async () => {
    const asking = send(via({ https: secure.url }), "https://provider.example/v1");
    expect(await failureOf(asking)).toEqual(["tls_untrusted", true]);
    expect(secure.asked).toEqual(["CONNECT provider.example:443"]);
  });

  it("goes straight to loopback and to the hosts of NO_PROXY", async () => {
    const outgoing = via({ http: plain.url, except: "local.invalid,.internal" });
    expect((await send(outgoing, `${server.origin}/v1`)).status).toBe(200);
    expect(await failureOf(send(outgoing, "http://local.invalid/v1"))).toEqual(["dns", true]);
    expect(plain.asked).toEqual([]);
  });

  it("says that the proxy is out of reach, or refuses, and that nothing was sent", async () => {
    const gone = `http://127.0.0.1:${await freePort()}`;
    const nowhere = via({ http: gone, https: gone });
    for (const url of ["https://provider.example/v1", "http://provider.example/v1"])
      expect(await failureOf(send(nowhere, url))).toEqual(["proxy_unreachable", true]);
    secure.refuse(403);
    expect(
      await failureOf(send(via({ https: secure.url }), "https://provider.example/v1")),
    ).toEqual(["proxy_refused", true]);
  });
});

describe("a document that a stranger names", () => {
  const publicly = (addresses: string[]) => {
    const made = createPublicFetch(
      (_name, _options, found) =>
        found(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        ),
      { http: plain.url, https: secure.url, except: "" },
    );
    opened.push(made);
    return made.fetch;
  };

  it("is asked for by the proxy where its name leads to public addresses", async () => {
    const answer = await publicly(["93.184.216.34"])("http://client.example/v1");
    expect([answer.status, plain.asked]).toEqual([200, ["GET http://client.example/v1"]]);
  });

  it.each([
    "http://client.example/v1",
    "https://client.example/v1",
    "http://10.0.0.1/v1",
    "http://[fd00::1]/v1",
  ])("is not asked for where %s is private, by the proxy neither", async (url) => {
    expect(await failureOf(publicly(["93.184.216.34", "10.0.0.1"])(url))).toEqual([
      "not_allowed",
      true,
    ]);
    expect([...plain.asked, ...secure.asked]).toEqual([]);
  });
});

describe("a private CA", () => {
  const script = `
    import { createOutgoing } from ${JSON.stringify(new URL("../../../src/node/outgoing.ts", import.meta.url).href)};
    const [url, https] = process.argv.slice(1);
    const outgoing = createOutgoing(https === "" ? null : { http: null, https, except: "" });
    const { status } = await outgoing.fetch(url).catch(({ cause }) => ({ status: cause.code }));
    await outgoing.close();
    console.log(status);`;
  const asking = async (url: string, proxy: string, env: Record<string, string>) => {
    const run = promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", script, url, proxy],
      { env: { PATH: process.env["PATH"] ?? "", ...env } },
    );
    return (await run).stdout.trim();
  };

  it("of NODE_EXTRA_CA_CERTS is trusted, by way of a proxy too; no other is", async () => {
    const own = `${pages.url}/v1`;
    expect(await asking(own, "", pages.env)).toBe("200");
    expect(await asking(own, "", {})).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
    // The certificate is for localhost, which no proxy is asked for; 127.0.0.2 is not of it.
    expect(await asking("https://127.0.0.2/v1", secure.url, pages.env)).toBe(
      "ERR_TLS_CERT_ALTNAME_INVALID",
    );
    expect(secure.asked).toEqual(["CONNECT 127.0.0.2:443"]);
  });
});
