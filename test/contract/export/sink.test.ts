/** The audit sink: chains arrive in order, go on after a failure, and are verified without believing the store. */
import { createHmac, createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashing } from "../../../src/crypto/chain.ts";
import { verifySignature } from "../../../src/crypto/signatures.ts";
import { createVerification } from "../../../src/domain/audit/verification.ts";
import { readTextLines } from "../../fakes/text-lines.ts";
import type { SinkObject } from "../../../src/domain/ports/audit-sink.ts";
import { sinkOf } from "../../../src/compose/sink.ts";
import { sinkBehindMs } from "../../../src/domain/alerts.ts";
import { createSinkJob } from "../../../src/pipeline/sink/send.ts";
import { sealOnce } from "../../../src/pipeline/scheduled/audit/seal.ts";
import { createS3Sink } from "../../../src/telemetry/s3-sink.ts";
import { inlineBackend } from "../../setup/inline-backend.ts";
import { caller, opening, start, type Caller } from "../store/fixtures.ts";
import { storesOn, value, type Opened } from "../store/open.ts";
import { sealingOn } from "../store/sealing.ts";
import { signerOf } from "./exporting.ts";

const dayMs = 86_400_000;
const never = Number.MAX_SAFE_INTEGER;

describe("the audit sink", () => {
  let opened: Opened;
  let who: Caller;
  let now = start;
  let isDown = false;
  const tries: string[] = [];
  const objects: SinkObject[] = [];

  const run = async (): Promise<number> => {
    const stores = storesOn(opened.db);
    const job = createSinkJob({
      ...stores,
      ...(await sealingOn(stores)),
      signer: await signerOf(7),
      now: () => now,
      async sendToSink(object) {
        tries.push(object.name);
        if (isDown) return "status 503";
        if (!objects.some(({ name }) => name === object.name)) objects.push(object);
        return null;
      },
    });
    return value(await job());
  };
  const seal = async (count: number): Promise<void> => {
    const stores = storesOn(opened.db);
    const its = { ...(await sealingOn(stores)), signer: await signerOf(7) };
    for (let at = 0; at < count; at += 1) {
      value(await stores.ledger.refuse(opening(who), "internal", null, null));
      value(await sealOnce(its, who.tenantId, never));
    }
  };
  const findingsIn = async (files: readonly string[]): Promise<string[]> => {
    const verification = createVerification({
      hashing,
      verify: verifySignature,
      pinned: [(await signerOf(7)).key],
      files: "sink",
    });
    const found: string[] = [];
    for (const file of files) {
      for (const line of readTextLines(file)) await verification.line(line);
      found.push(...(await verification.endOfFile()).map(({ text }) => text));
    }
    return found;
  };

  beforeAll(async () => {
    opened = await inlineBackend().openMigrated();
    who = await caller(storesOn(opened.db));
  });
  afterAll(() => opened.close());

  it("gets the chain in order, under the same names after a failure", async () => {
    await seal(9);
    expect(await run()).toBe(1);
    isDown = true;
    expect(await run()).toBe(0);
    expect(await run()).toBe(0);
    await seal(3);
    isDown = false;
    now += 61_000;
    expect(await run()).toBe(1);
    expect(await run()).toBe(1);
    expect(await run()).toBe(0);
    const named = (first: number, last: number): string =>
      `${who.tenantId}/${String(first).padStart(12, "0")}-${String(last).padStart(12, "0")}.ndjson`;
    expect(tries).toEqual([named(1, 8), named(9, 9), named(9, 9), named(10, 12)]);
    expect(objects.map(({ name }) => name)).toEqual([named(1, 8), named(9, 9), named(10, 12)]);
  });

  it("is verified from the chain: what was replaced or is missing is found", async () => {
    const files = objects.map(({ text }) => text);
    const [first = "", second = "", third = ""] = files;
    expect(await findingsIn(files)).toEqual([]);
    expect((await findingsIn([first, third])).length).toBeGreaterThan(0);
    expect(
      (await findingsIn([first, second.replace('"refused"', '"failed"'), third])).length,
    ).toBeGreaterThan(0);
    expect((await findingsIn([first, first, third])).length).toBeGreaterThan(0);
  });

  it("raises an alert after being behind for half an hour, and ends the alert once the sink has caught up", async () => {
    const { alerts } = storesOn(opened.db);
    const kinds = async (at: number) => value(await alerts.troubles(at)).map(({ kind }) => kind);
    const behind = { kind: "sink_behind", tenantId: who.tenantId, subject: who.tenantId };
    await seal(1);
    isDown = true;
    expect(await run()).toBe(0);
    const since = now;
    now += 61_000;
    expect(await run()).toBe(0);
    expect(await kinds(since + sinkBehindMs - 1)).not.toContain("sink_behind");
    expect(value(await alerts.troubles(since + sinkBehindMs))).toContainEqual(behind);
    isDown = false;
    now += 121_000;
    expect(await run()).toBe(1);
    expect(await kinds(since + sinkBehindMs)).not.toContain("sink_behind");
  });

  it("is a webhook: one signed message for each object, which is sent again under the same id", async () => {
    const key = Buffer.alloc(24, 7);
    const asked: { url: string; init: RequestInit }[] = [];
    const answers = [503, 204];
    const url = "https://audit.test/router";
    const send = sinkOf(
      { kind: "webhook", url, secret: `whsec_${key.toString("base64")}` },
      {
        async fetch(to, init) {
          asked.push({ url: String(to), init: init ?? {} });
          return new Response(null, { status: answers.shift() ?? 500 });
        },
        now: () => start,
      },
    );
    const object = { name: "ten_1/1-2.ndjson", text: "line\n" };
    expect(await send?.(object)).toContain("503");
    expect(await send?.(object)).toBeNull();
    for (const { url: to, init } of asked) {
      const headers = new Headers(init.headers);
      const sent = `${object.name}.${Math.floor(start / 1_000)}.${object.text}`;
      expect([to, init.body, init.redirect]).toEqual([url, object.text, "manual"]);
      expect(headers.get("content-type")).toBe("application/x-ndjson");
      expect(headers.get("webhook-id")).toBe(object.name);
      expect(headers.get("webhook-signature")).toBe(
        `v1,${createHmac("sha256", key).update(sent).digest("base64")}`,
      );
    }
  });

  it("is asked to keep an object, and not to replace one; the request is signed by AWS's version 4", async () => {
    const asked: Request[] = [];
    const answers = [200, 412, 500];
    const send = createS3Sink({
      target: {
        url: "https://store.test/bucket/audit/",
        region: "eu-west-1",
        accessKeyId: "id",
        secretAccessKey: "CANARY",
        lockDays: 30,
      },
      sha256: async (bytes) => createHash("sha256").update(bytes).digest(),
      async fetch(url, init) {
        asked.push(new Request(url, init));
        return new Response(null, { status: answers.shift() ?? 200 });
      },
      now: () => start,
    });
    const object = { name: "ten_1/1-2.ndjson", text: "line\n" };
    expect(await send(object)).toBeNull();
    expect(await send(object)).toBeNull();
    expect(await send(object)).toBe("status 500");
    const [request] = asked;
    if (request === undefined) throw new Error("Nothing was sent.");
    expect(request.url).toBe("https://store.test/bucket/audit/ten_1/1-2.ndjson");
    const { headers } = request;
    expect(headers.get("if-none-match")).toBe("*");
    expect(headers.get("x-amz-object-lock-mode")).toBe("COMPLIANCE");
    expect(headers.get("x-amz-object-lock-retain-until-date")).toBe(
      new Date(start + 30 * dayMs).toISOString(),
    );
    const hash = createHash("sha256").update(object.text);
    expect(headers.get("x-amz-content-sha256")).toBe(hash.copy().digest("hex"));
    expect(headers.get("x-amz-checksum-sha256")).toBe(hash.digest("base64"));
    expect(JSON.stringify([...headers])).not.toContain("CANARY");
    // Signature Version 4, reckoned here from the specification.
    const authorization = headers.get("authorization") ?? "";
    const [, scope = "", names = "", signature = ""] =
      /Credential=id\/(\S+), SignedHeaders=(\S+), Signature=(\w+)/.exec(authorization) ?? [];
    const canonical = [
      "PUT",
      "/bucket/audit/ten_1/1-2.ndjson",
      "",
      ...names
        .split(";")
        .map((name) => `${name}:${name === "host" ? "store.test" : headers.get(name)}`),
      "",
      names,
      headers.get("x-amz-content-sha256"),
    ].join("\n");
    const toSign = [
      "AWS4-HMAC-SHA256",
      headers.get("x-amz-date"),
      scope,
      createHash("sha256").update(canonical).digest("hex"),
    ].join("\n");
    const key = scope
      .split("/")
      .reduce<Buffer>(
        (secret, part) => createHmac("sha256", secret).update(part).digest(),
        Buffer.from("AWS4CANARY"),
      );
    expect(createHmac("sha256", key).update(toSign).digest("hex")).toBe(signature);
  });
});
