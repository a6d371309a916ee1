/** What throws is reported, and answered as an error of the endpoint's API. */
import { expect, it } from "vitest";
import { modelEndpoints } from "../../../../src/http/models/endpoints.ts";
import { postModelCall } from "../../../../src/http/models/post.ts";

const request = {
  headers: new Headers({ Authorization: "Bearer key", "Content-Type": "application/json" }),
  signal: new AbortController().signal,
};

it.each([
  ["chat/completions", { error: { type: "server_error", code: "server_error" } }],
  ["responses", { error: { type: "server_error", code: "server_error" } }],
  ["messages", { type: "error", error: { type: "api_error" }, request_id: "req_1" }],
] as const)("%s", async (path, body) => {
  const bug = new Error("a bug");
  const reported: unknown[] = [];
  const services = {
    now: () => 0,
    elapsed: () => 0,
    callScheduler: { enterFor: () => Promise.reject(bug) },
    report: (...args: unknown[]) => void reported.push(args),
  };
  const input = { request, url: `/v1/${path}`, requestId: "req_1" };
  const answer = await postModelCall(services as never, modelEndpoints[path], input as never);
  expect(answer).toMatchObject({ status: 500, body });
  expect(answer).toMatchObject({ body: { error: { reason: "internal", requestId: "req_1" } } });
  expect(reported).toEqual([["req_1", bug]]);
});
