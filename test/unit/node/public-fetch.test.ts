/** Addresses that a stranger names are public or not requested. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createPublicFetch,
  createPublicLookup,
  type LookupAll,
} from "../../../src/node/public-fetch.ts";

const leadingTo =
  (...addresses: string[]): LookupAll =>
  (_, _options, found) =>
    found(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

const looked = (...addresses: string[]): Promise<unknown> =>
  new Promise((resolve) => {
    createPublicLookup(leadingTo(...addresses))("a.test", {}, (error, address) =>
      resolve(error === null ? address : error.message),
    );
  });

describe("a name that a stranger gives", () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("{}");
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => void server.close());

  it("is followed to a public address", async () => {
    expect(await looked("93.184.216.34")).toBe("93.184.216.34");
  });

  it.each(["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:127.0.0.1"])(
    "is not followed to %s, alone or among others",
    async (address) => {
      expect(await looked(address)).toBe("The name resolves to a private address.");
      expect(await looked("93.184.216.34", address)).toBe(
        "The name resolves to a private address.",
      );
    },
  );

  it("reaches no server of this machine", async () => {
    const { port } = server.address() as AddressInfo;
    const { fetch, close } = createPublicFetch(leadingTo("127.0.0.1"));
    await expect(fetch(`http://a.test:${port}/client.json`)).rejects.toThrow();
    await close();
    expect(asked).toEqual([]);
  });
});
