/** A form body is bounded and complete. */
import type { Context } from "hono";
import { expect, it } from "vitest";
import { maxFormBytes } from "../../../src/domain/bounded-form.ts";
import { bodyText } from "../../../src/http/authorization/form.ts";
import type { HttpEnv } from "../../../src/http/context.ts";

const readOf = (body: BodyInit) => {
  const raw = new Request("http://router.test/oauth/token", {
    method: "POST",
    body,
    duplex: "half",
  } as RequestInit);
  return bodyText({ req: { raw } } as unknown as Context<HttpEnv>);
};

const breaksOff = () =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("grant_type="));
      controller.error(new Error("aborted"));
    },
  });

it("gives a form's text, and refuses one that is too large or that broke off", async () => {
  expect(await readOf("a=1")).toEqual({ ok: true, value: "a=1" });
  expect(await readOf("a".repeat(maxFormBytes + 1))).toMatchObject({
    error: { reason: "payload_too_large", limitBytes: maxFormBytes },
  });
  expect(await readOf(breaksOff())).toEqual({
    ok: false,
    error: { reason: "bad_request", detail: "The body broke off." },
  });
});
