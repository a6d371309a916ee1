/** What a receiver gets of a message, checked as the written specification of Standard Webhooks says. */
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newWebhookSecret, signWebhook } from "../../../../src/crypto/webhook-signatures.ts";
import type { Attempted, WebhookStore } from "../../../../src/domain/ports/webhooks.ts";
import type { AdminEvent } from "../../../../src/domain/admin-event.ts";
import { err, ok } from "../../../../src/domain/result.ts";
import { createWebhookSender } from "../../../../src/telemetry/webhook-sender.ts";
import { createDeliverySlots } from "../../../../src/domain/limits/delivery-slots.ts";
import { createSendWebhooks } from "../../../../src/pipeline/scheduled/webhooks.ts";

const now = 1_800_000_000_500;
const approvalBody = '{"type":"approval.waiting"}';
const url = "https://hooks.test/approvals?team=one";

/** By the specification: the secret is base64 after its prefix, and signs id, timestamp and body with dots between. */
const expectedSignature = (secret: string, signed: string): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(signed)
    .digest("base64")}`;

const unopenable = "sealed under another key";

interface Given {
  attempts?: number;
  secrets?: string[];
  /** by origin */
  headers?: Record<string, string>;
  url?: string;
  answer?: () => Promise<Response>;
  body?: string;
}

async function sent({
  attempts = 1,
  secrets = [],
  headers = {},
  url: to = url,
  answer,
  body = approvalBody,
}: Given = {}) {
  const requests: { url: string; init: RequestInit }[] = [];
  const noted: { attempted: Attempted; event: AdminEvent | null }[] = [];
  const message = { id: "msg_1", tenantId: "ten_1", url: to, body, attempts };
  const webhooks: WebhookStore = {
    due: async () => ok(noted.length === 0 ? [message] : []),
    claim: async () => ok([{ ...message, createdAt: now }]),
    async note(attempted, event) {
      noted.push({ attempted, event });
      return ok(null);
    },
    secrets: async () =>
      ok(
        [
          ...Object.entries(headers),
          ...secrets.map((each): [string | null, string] => [null, each]),
        ].map(([destination, sealed]) => ({
          id: "whk_1",
          tenantId: "ten_1",
          destination,
          sealed,
          createdAt: now,
        })),
      ),
    replaceHeader: async () => ok(null),
    list: async () => ok({ data: [], nextCursor: null }),
    rotate: async () => ok(false),
    prune: async () => ok(0),
  };
  const send = createSendWebhooks({
    webhooks,
    vault: {
      seal: async (plain) => plain,
      open: async (sealed) => (sealed === unopenable ? err("unopenable") : ok(sealed)),
      sealPrefix: "",
    },
    sign: signWebhook,
    post: createWebhookSender({
      async fetch(asked, init) {
        requests.push({ url: asked, init });
        return (await answer?.()) ?? new Response(null, { status: 204 });
      },
    }),
    rules: { allowPrivate: false, ownOrigins: ["https://router.test"] },
    ids: { next: () => "evt_1" },
    slots: createDeliverySlots(),
    now: () => now,
    wait: () => new Promise(() => {}),
  });
  expect(await send()).toEqual(ok(1));
  return { requests, noted: noted[0] };
}

const secret = newWebhookSecret((count) =>
  Uint8Array.from({ length: count }, (_, at) => 250 - 7 * at),
);

describe("a message to a webhook", () => {
  it("has the header of its origin, without a signature, and of no other origin", async () => {
    const header = JSON.stringify({ name: "Authorization", value: "Bearer re_1" });
    const another = JSON.stringify({ name: "X-Token", value: "another receiver's" });
    const { requests } = await sent({
      headers: { "https://mail.test": another, "https://hooks.test": header },
    });
    const given = requests[0]?.init.headers;
    expect(given).toMatchObject({ Authorization: "Bearer re_1", "webhook-id": "msg_1" });
    expect(given).not.toHaveProperty("webhook-signature");
    expect(JSON.stringify(given)).not.toContain("another");
    const other = await sent({ headers: { "https://hooks.test:8443": header } });
    expect([other.requests, other.noted?.attempted.fault]).toEqual([
      [],
      "There is no signing secret. Create one with New signing secret in the console, or POST …/webhooks/secret.",
    ]);
  });

  it("isn't sent without its header if that can't be opened, and says how to set it again", async () => {
    const headers = { "https://hooks.test": unopenable };
    const { requests, noted } = await sent({ headers, body: '{"to":"ops@example.com"}' });
    expect([requests, noted?.attempted.fault]).toEqual([
      [],
      "The stored header can't be opened. Set it again: PUT …/webhooks/headers.",
    ]);
  });

  it("of another form needs no signature", async () => {
    const { requests } = await sent({ body: '{"text":"80% used"}' });
    expect(requests[0]?.init.headers).not.toHaveProperty("webhook-signature");
  });

  it("is signed as Standard Webhooks, by each secret that signs", async () => {
    const other = newWebhookSecret((count) => new Uint8Array(count).fill(9));
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { requests, noted } = await sent({ secrets: [secret, other] });
    const headers = new Headers(requests[0]?.init.headers);
    expect(headers.get("webhook-id")).toBe("msg_1");
    expect(headers.get("webhook-timestamp")).toBe("1800000000");
    const signed = `msg_1.1800000000.${approvalBody}`;
    expect(headers.get("webhook-signature")?.split(" ")).toEqual([
      expectedSignature(secret, signed),
      expectedSignature(other, signed),
    ]);
    expect(requests).toMatchObject([
      { url, init: { method: "POST", body: approvalBody, redirect: "manual" } },
    ]);
    expect(noted).toMatchObject({
      attempted: { state: "delivered", nextAt: null, status: 204, fault: null },
      event: null,
    });
  });

  it("has the signature of the specification's own example", async () => {
    const signature = await signWebhook(
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}',
    );
    expect(signature).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it.each([
    ["a status that is no success", async () => new Response("no", { status: 500 }), 500],
    ["a redirect, which is not followed", async () => new Response(null, { status: 302 }), 302],
    ["no connection", () => Promise.reject(new TypeError("fetch failed")), null],
  ])("is sent again later after %s", async (_, answer, status) => {
    const { noted, requests } = await sent({ secrets: [secret], answer });
    expect(requests).toHaveLength(1);
    expect(noted?.attempted).toMatchObject({ state: "pending", nextAt: now + 5_000, status });
    expect(noted?.attempted.fault).toBeTruthy();
    const later = await sent({ secrets: [secret], answer, attempts: 4 });
    expect(later.noted?.attempted.nextAt).toBe(now + 1_800_000);
  });

  it("is given up after the last attempt, or when its receiver is gone, and the log says so", async () => {
    const down = async (): Promise<Response> => new Response(null, { status: 503 });
    const gone = async (): Promise<Response> => new Response(null, { status: 410 });
    for (const given of [{ answer: down, attempts: 9 }, { answer: gone }]) {
      const { noted } = await sent({ secrets: [secret], ...given });
      expect(noted?.attempted).toMatchObject({ state: "failed", nextAt: null });
      expect(noted?.event).toMatchObject({ action: "webhook.failed", target: "msg_1" });
      // The address may hold a secret.
      expect(JSON.stringify(noted)).not.toContain("hooks.test");
    }
  });

  it.each([
    ["without a secret", { secrets: [] }],
    ["to a private address", { secrets: [secret], url: "https://10.0.0.1/hook" }],
    ["to the router itself", { secrets: [secret], url: "https://router.test/v1/sampling" }],
  ])("is not sent %s, and says why", async (_, given) => {
    const { requests, noted } = await sent(given);
    expect(requests).toEqual([]);
    expect(noted?.attempted.state).toBe("pending");
    expect(noted?.attempted.fault).toBeTruthy();
  });
});

describe("messages of several tenants", () => {
  /** Receivers that never answer, but for those that a test names. `late`: ends all attempts that hang. */
  function given(messages: { tenantId: string; id: string; url: string }[]) {
    let due = [...messages];
    const hanging: { url: string; end: () => void }[] = [];
    const delivered: string[] = [];
    const unused = async () => ok(null);
    const send = createSendWebhooks({
      webhooks: {
        due: async () => ok(due),
        async claim(claimed) {
          const ids = new Set(claimed.map(({ id }) => id));
          const found = due.filter(({ id }) => ids.has(id));
          due = due.filter(({ id }) => !ids.has(id));
          return ok(found.map((each) => ({ ...each, body: "{}", attempts: 1, createdAt: now })));
        },
        async note({ id, state }) {
          if (state === "delivered") delivered.push(id);
          return unused();
        },
        secrets: async (tenantId) =>
          ok([{ id: "whk_1", tenantId, destination: null, sealed: secret, createdAt: now }]),
        replaceHeader: async () => ok(null),
        list: async () => ok({ data: [], nextCursor: null }),
        rotate: async () => ok(false),
        prune: async () => ok(0),
      },
      vault: { seal: async (plain) => plain, open: async (sealed) => ok(sealed), sealPrefix: "" },
      sign: async () => "v1,signature",
      post: ({ url: to }) =>
        to.includes("silent")
          ? new Promise((resolve) =>
              hanging.push({
                url: to,
                end: () => resolve({ status: null, fault: "No answer.", isLate: true }),
              }),
            )
          : Promise.resolve({ status: 204, fault: null }),
      rules: { allowPrivate: false, ownOrigins: [] },
      slots: createDeliverySlots(),
      ids: { next: () => "evt_1" },
      now: () => now,
      wait: () => new Promise(() => {}),
    });
    const settled = async (): Promise<void> => {
      for (let turn = 0; turn < 50; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
    };
    return { send, hanging, delivered, settled, add: (more: typeof messages) => due.push(...more) };
  }
  const of = (tenantId: string, count: number, host: string) =>
    Array.from({ length: count }, (_, at) => ({
      tenantId,
      id: `${tenantId}_${at}`,
      url: `https://${host}/hook`,
    }));

  it("pass a silent webhook's backlog, which holds two places and then one", async () => {
    const { send, hanging, delivered, settled, add } = given([
      ...of("loud", 195, "silent.test"),
      ...of("calm", 3, "calm.test"),
    ]);
    const sending = send();
    await settled();
    expect(delivered).toEqual(["calm_0", "calm_1", "calm_2"]);
    expect(hanging).toHaveLength(2);
    add(of("late", 1, "late.test"));
    expect(send()).toBe(sending);
    await settled();
    expect(delivered).toContain("late_0");
    for (const { end } of hanging.splice(0)) end();
    await settled();
    // The address has timed out.
    expect(hanging).toHaveLength(1);
  });

  it("have places though many tenants' webhooks are silent", async () => {
    const { send, hanging, delivered, settled, add } = given(
      Array.from({ length: 20 }, (_, at) => of(`loud${at}`, 5, `silent${at}.test`)).flat(),
    );
    void send();
    await settled();
    expect(hanging).toHaveLength(6);
    for (const { end } of hanging.splice(0)) end();
    await settled();
    // 14 addresses are still unknown.
    expect(hanging).toHaveLength(6);
    while (hanging.some(({ url: to }) => Number(/\d+/.exec(to)?.[0]) >= 6)) {
      for (const { end } of hanging.splice(0)) end();
      await settled();
    }
    add(of("calm", 1, "calm.test"));
    void send();
    await settled();
    expect(delivered).toEqual(["calm_0"]);
  });
});
