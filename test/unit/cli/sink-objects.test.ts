/** Objects of an audit sink, as the verifier reads them from a store. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { storedObjects } from "../../../src/cli/sink-objects.ts";
import { startObjectStore, type ObjectStore } from "../../fakes/object-store.ts";

describe("the objects of a tenant's chain", () => {
  let store: ObjectStore;
  let env: Record<string, string>;
  beforeAll(async () => {
    store = await startObjectStore();
    env = {
      AWS_ACCESS_KEY_ID: "reader",
      AWS_SECRET_ACCESS_KEY: "CANARY",
      AWS_ENDPOINT_URL: `${store.url}/`,
    };
  });
  beforeEach(() => {
    store.failing = null;
    store.objects.clear();
    for (const number of [3, 1, 2, 5, 4])
      store.objects.set(`audit/it's & more/ten_1/${number}.ndjson`, `text ${number}`);
  });
  afterAll(() => store.stop());

  const textsAt = async (path: string): Promise<string[]> => {
    const texts: string[] = [];
    for (const { open } of await storedObjects(path, env)) {
      let text = "";
      for await (const chunk of open()) text += Buffer.from(chunk).toString("utf8");
      texts.push(text);
    }
    return texts;
  };
  const faultAt = (path: string, given = env): Promise<string> =>
    storedObjects(path, given).then(
      () => "none",
      (cause: unknown) => String(cause),
    );

  it("are read in the order of their names, however the store pages them", async () => {
    store.objects.set("audit/it's & more/ten_1/notes.txt", "no object of a sink");
    store.objects.set("audit/it's & more/ten_10/1.ndjson", "another tenant's");
    const texts = [1, 2, 3, 4, 5].map((number) => `text ${number}`);
    for (const slash of ["", "/"])
      expect(await textsAt(`s3://audit/it's & more/ten_1${slash}`)).toEqual(texts);
    expect(store.accessKeys).toEqual(new Set(["reader"]));
  });

  it("are of one tenant", async () => {
    store.objects.set("audit/it's & more/ten_10/1.ndjson", "another tenant's");
    expect(await faultAt("s3://audit/it's & more")).toContain("has the chains of 2 tenants");
  });

  it("are refused in words where something is missing, and no secret is repeated", async () => {
    const { AWS_SECRET_ACCESS_KEY: _, ...without } = env;
    const path = "s3://audit/it's & more/ten_1";
    expect(await faultAt(path, without)).toContain("needs AWS_SECRET_ACCESS_KEY");
    expect(await faultAt(path, { ...env, AWS_ENDPOINT_URL: "CANARY" })).toContain("isn't a URL");
    expect(await faultAt("s3://A/b")).toContain("names no bucket");
    store.failing = 403;
    const fault = await faultAt(path);
    expect(fault).toContain("can't be read: status 403");
    expect(fault).not.toContain("CANARY");
  });

  describe("in a store that lies", () => {
    const listing = (next: (page: number) => string, keys = "") => {
      let page = 0;
      const server = createServer((_, response) => {
        page += 1;
        response.end(
          `<ListBucketResult>${keys}<IsTruncated>true</IsTruncated><NextContinuationToken>${next(page)}</NextContinuationToken></ListBucketResult>`,
        );
      });
      return new Promise<{ url: string; stop: () => void }>((resolve) =>
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo;
          resolve({ url: `http://127.0.0.1:${port}`, stop: () => void server.close() });
        }),
      );
    };
    it.each([
      ["empty pages", (page: number) => `t${page}`, ""],
      ["one page again and again", () => "t", "<Key>a/1.ndjson</Key>"],
      ["a character beyond Unicode", () => "&#99999999;&#x110000;&#9999999;", ""],
    ])("end: %s", async (_, next, keys) => {
      const lying = await listing(next, keys);
      try {
        expect(await faultAt("s3://audit/a", { ...env, AWS_ENDPOINT_URL: lying.url })).toContain(
          "the store's list of objects does not end",
        );
      } finally {
        lying.stop();
      }
    });
  });
});
