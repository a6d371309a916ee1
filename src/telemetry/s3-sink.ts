/**
 * The audit sink in an S3-compatible store: each object is written once. Source: S3's API reference,
 * "PutObject" (`If-None-Match`, `x-amz-checksum-sha256`, object lock).
 */
import { withoutTrailing } from "../domain/bounded-url.ts";
import { AwsClient } from "aws4fetch";
import { noAnswerReason } from "../domain/network-fault.ts";
import type { SendToSink } from "../domain/ports/audit-sink.ts";

const deadlineMs = 20_000;
const dayMs = 86_400_000;
/** Written by an earlier attempt that was not recorded. */
const isThere = 412;

export interface S3Target {
  /** including bucket and prefix, such as `https://s3.eu-central-1.amazonaws.com/audit/router` */
  url: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** object lock in days; `null` for the store's default */
  lockDays: number | null;
}

const objectUrl = (base: string, name: string): string => `${withoutTrailing(base, "/")}/${name}`;

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** `fetch` must not follow redirects. */
export function createS3Sink(deps: {
  target: S3Target;
  sha256: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  now: () => number;
}): SendToSink {
  const { target, sha256, now } = deps;
  const { accessKeyId, secretAccessKey, region, lockDays } = target;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3", retries: 0 });
  return async ({ name, text }) => {
    const body = new TextEncoder().encode(text);
    const hash = await sha256(body);
    const { url, headers } = await client.sign(objectUrl(target.url, name), {
      method: "PUT",
      headers: {
        "Content-Type": "application/x-ndjson",
        "If-None-Match": "*",
        "X-Amz-Content-Sha256": hexOf(hash),
        "x-amz-checksum-sha256": base64Of(hash),
        ...(lockDays !== null && {
          "x-amz-object-lock-mode": "COMPLIANCE",
          "x-amz-object-lock-retain-until-date": new Date(now() + lockDays * dayMs).toISOString(),
        }),
      },
      body,
    });
    try {
      // A host's own `fetch` may not accept foreign `Request` objects.
      const answer = await deps.fetch(url, {
        method: "PUT",
        headers: Object.fromEntries(headers),
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(deadlineMs),
      });
      await answer.body?.cancel();
      return answer.ok || answer.status === isThere ? null : `status ${answer.status}`;
    } catch (thrown) {
      return `no answer from ${noAnswerReason(url, thrown)}`;
    }
  };
}
