/** Objects of an audit sink, as the verifier reads them from a store. */
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
    expect(await faultAt(path, { ...env, AWS_ENDPOINT_URL: "CANARY" })).toContain("is no URL");
    expect(await faultAt("s3://A/b")).toContain("names no bucket");
    store.failing = 403;
    const fault = await faultAt(path);
    expect(fault).toContain("can't be read: status 403");
    expect(fault).not.toContain("CANARY");
  });
});
