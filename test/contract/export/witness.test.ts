/**
 * A witness remembers what a restored older copy of the database hides: heads are sent, and compared with later
 * ones.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { verifySignature } from "../../../src/crypto/signatures.ts";
import { signedText, type ChainHead } from "../../../src/domain/audit/seals.ts";
import { createWitnessJob } from "../../../src/pipeline/scheduled/audit/witness.ts";
import { createWitnessSender } from "../../../src/telemetry/witness.ts";
import { raw } from "../../../src/store/db.ts";
import { fromSource } from "../../setup/from-source.ts";
import { inlineBackend } from "../../setup/inline-backend.ts";
import { caller, opening, start } from "../store/fixtures.ts";
import { givenWorld, value } from "../store/open.ts";
import { sealAll, sealingOn } from "../store/sealing.ts";
import { exportPart, signerOf } from "./exporting.ts";

interface Said {
  keyId: string;
  heads: ChainHead[];
  signature: string;
}

const checkout = fileURLToPath(new URL("../../../", import.meta.url));

describe("a witness", () => {
  const world = givenWorld(inlineBackend());
  const folder = mkdtempSync(join(tmpdir(), "sampling-router-witness-"));
  let server: Server;
  let url: string;
  let status = 200;
  let said: Said[] = [];
  let logged: unknown[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += String(chunk)));
      request.on("end", () => {
        if (status === 200) said.push(JSON.parse(body) as Said);
        response.writeHead(status, status === 302 ? { Location: "/elsewhere" } : {}).end("ok");
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?secret=x`;
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    status = 200;
    said = [];
  });
  afterEach(() => {
    logged = [];
  });

  const job = async (witnessUrl: string | null = url) =>
    createWitnessJob({
      ...(await sealingOn(world.stores)),
      sendToWitness:
        witnessUrl === null
          ? null
          : createWitnessSender({
              url: witnessUrl,
              fetch: (address, init) => fetch(address, { ...init, redirect: "manual" }),
            }),
      log: (entry) => void logged.push(entry),
    });
  const tenant = async () => {
    const who = await caller(world.stores);
    const { slug } = value(await world.stores.tenants.byId(who.tenantId)) ?? { slug: "" };
    return {
      ...who,
      slug,
      async seal(): Promise<void> {
        value(await world.stores.ledger.refuse(opening(who, start), "forbidden", null, null));
        await sealAll(world.stores, who.tenantId);
      },
    };
  };
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const audit = async (...args: string[]): Promise<{ code: number; text: string }> => {
    const ran = promisify(execFile)(process.execPath, ["src/cli/audit.ts", "verify", ...args], {
      cwd: checkout,
      env: { ...process.env, ...fromSource },
    });
    try {
      return { code: 0, text: (await ran).stdout };
    } catch (cause) {
      const { code, stdout, stderr } = cause as { code: number; stdout: string; stderr: string };
      return { code, text: stdout + stderr };
    }
  };
  const exported = async (slug: string) =>
    (await exportPart({ stores: world.stores, signer: await signerOf(7) }, slug)).text;
  const keys = async (): Promise<string> => {
    const { id, publicKey } = (await signerOf(7)).key;
    return file("keys.json", JSON.stringify({ kty: "OKP", crv: "Ed25519", kid: id, x: publicKey }));
  };

  it("gets the head of each chain, signed", async () => {
    const [one, two] = [await tenant(), await tenant()];
    await one.seal();
    await one.seal();
    await two.seal();
    value(await (await job())());
    expect(said).toHaveLength(1);
    const { signature, ...rest } = said[0] ?? { signature: "", heads: [], keyId: "" };
    expect(rest.heads.map(({ tenant: id, number }) => [id, number])).toEqual(
      [
        [one.tenantId, 2],
        [two.tenantId, 1],
      ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
    const { key } = await signerOf(7);
    expect(await verifySignature(key, { text: signedText("heads", rest), signature })).toBe(true);
  });

  it("gets the seals that it refused with the next run, and no seal waits for the witness", async () => {
    const { tenantId, seal } = await tenant();
    await seal();
    for (const refusal of [500, 302]) {
      status = refusal;
      value(await (await job())());
    }
    value(await (await job("http://127.0.0.1:1/"))());
    expect(logged).toEqual([
      { event: "witness", fault: "HTTP 500" },
      { event: "witness", fault: "HTTP 302" },
      { event: "witness", fault: expect.stringMatching(/^no answer from 127\.0\.0\.1:1: /) },
    ]);
    expect(JSON.stringify(logged)).not.toContain("secret");
    status = 200;
    value(await (await job())());
    expect(said.flatMap(({ heads }) => heads)).toMatchObject([{ tenant: tenantId, number: 1 }]);
    value(await (await job(null))());
    expect(said).toHaveLength(1);
  });

  it("shows that a database was put back to an older copy", async () => {
    const { tenantId, slug, seal } = await tenant();
    await seal();
    await seal();
    const pinned = ["--key", await keys()];
    value(await (await job())());
    const heads = file("heads.json", JSON.stringify(said[0]));
    const before = file("before.ndjson", await exported(slug));
    const sound = await audit(before, ...pinned, "--head", heads);
    expect([sound.code, sound.text]).toEqual([
      0,
      expect.stringContaining("goes through the head, seal 2"),
    ]);

    // The database as after the first seal: its records, its chain, its numbers.
    value(
      await world.db.write([
        raw(sql`delete from sampling_requests where seal_number = 2`),
        raw(sql`delete from seals where number = 2`),
        raw(sql`update record_numbers set last = 1`),
      ]),
    );
    const after = file("after.ndjson", await exported(slug));
    expect((await audit(after, ...pinned)).code).toBe(0);
    const cut = await audit(after, ...pinned, "--head", heads);
    expect([cut.code, cut.text]).toEqual([1, expect.stringContaining("The chain ends at seal 1")]);

    await seal();
    const forked = await audit(
      file("forked.ndjson", await exported(slug)),
      ...pinned,
      "--head",
      heads,
    );
    expect([forked.code, forked.text]).toEqual([1, expect.stringContaining("Seal 2 is another")]);

    const [head] = said[0]?.heads ?? [];
    const argument = `${tenantId}:${head?.number}:${head?.hash}`;
    expect((await audit(before, ...pinned, "--head", argument)).code).toBe(0);
    const other = await audit(before, ...pinned, "--head", `ten_x:1:${"0".repeat(64)}`);
    expect([other.code, other.text]).toEqual([2, expect.stringContaining("No head was given")]);
    for (const given of ["nothing", before])
      expect((await audit(before, ...pinned, "--head", given)).code).toBe(2);
  });

  it("is not needed for what the router found itself, which the verifier prints", async () => {
    const { tenantId, slug, seal } = await tenant();
    await seal();
    value(
      await world.stores.ledger.refuse(
        opening({ tenantId, keyId: "key_1" }, start),
        "forbidden",
        null,
        null,
      ),
    );
    const set = sql`update sampling_requests set reason = 'internal' where seal_number is null`;
    value(await world.db.write([raw(set)]));
    const path = file("tampered.ndjson", await exported(slug));
    const found = await audit(path, "--key", await keys());
    expect(found.code).toBe(4);
    expect(found.text).toMatch(
      /^Seal 2: tampered: req_\w+ has a changed ending: its code does not match$/m,
    );
    expect(found.text).toContain("Unchanged since the router wrote it.");
    expect((await audit(path)).code).toBe(3);
  });
});
