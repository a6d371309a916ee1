import { sha256 } from "../crypto/hashes.ts";
import { signWebhook } from "../crypto/webhook-signatures.ts";
import type { SinkTarget } from "../domain/audit/sink-settings.ts";
import type { SendToSink } from "../domain/ports/audit-sink.ts";
import { createS3Sink } from "../telemetry/s3-sink.ts";
import { createWebhookSender } from "../telemetry/webhook-sender.ts";
import type { Host } from "./host.ts";

/** Standard Webhooks. `webhook-id` is the object's name, for deduplication. */
function createWebhookSink(
  { url, secret }: SinkTarget & { kind: "webhook" },
  { fetch, now }: { fetch: Host["fetch"]; now: () => number },
): SendToSink {
  const post = createWebhookSender({ fetch: (to, init) => fetch(to, init) });
  return async ({ name, text }) => {
    const seconds = String(Math.floor(now() / 1_000));
    const { fault } = await post({
      url,
      body: text,
      headers: {
        "Content-Type": "application/x-ndjson",
        "webhook-id": name,
        "webhook-timestamp": seconds,
        "webhook-signature": await signWebhook(secret, `${name}.${seconds}.${text}`),
      },
    });
    return fault;
  };
}

export function sinkOf(
  target: SinkTarget | null,
  { fetch, now }: { fetch: Host["fetch"]; now: () => number },
): SendToSink | null {
  if (target === null) return null;
  if (target.kind === "webhook") return createWebhookSink(target, { fetch, now });
  return createS3Sink({
    target,
    sha256: (bytes) => sha256(bytes),
    fetch: (url, init) => fetch(url, init),
    now,
  });
}
