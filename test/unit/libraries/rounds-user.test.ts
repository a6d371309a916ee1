/** The state of a round belongs to the user whose request it was, and not to everybody whom one client serves. */
import { describe, expect, it } from "vitest";
import {
  hostedSampling,
  type HostedSamplingOptions,
} from "../../../src/libraries/server/hosted-sampling.ts";

const asking = {
  messages: [{ role: "user" as const, content: { type: "text" as const, text: "Hello?" } }],
  maxTokens: 5,
};
const answer = { role: "assistant", model: "client's", content: { type: "text", text: "Hello." } };

function serverWith(more: Partial<HostedSamplingOptions> = {}) {
  const sampling = hostedSampling({
    url: "http://127.0.0.1:9",
    key: "srk_test",
    mode: "client",
    ...more,
  });
  const handler = sampling.rounds(async (context: never): Promise<Record<string, unknown>> => {
    const { content } = await sampling.createMessage(context, asking);
    return { content };
  });
  return (authInfo: object, state?: string): Promise<Record<string, unknown>> =>
    handler({
      mcpReq: {
        id: 1,
        signal: new AbortController().signal,
        method: "tools/call",
        envelope: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
        },
        inputResponses: state === undefined ? undefined : { "sampling-router-0": answer },
        requestState: () => state,
        requestSampling: async () => answer,
      },
      http: { authInfo },
    } as never);
}

const ann = { clientId: "app", token: "one", extra: { sub: "ann" } };

describe("the state of a round", () => {
  it.each([
    ["another subject", { ...ann, extra: { sub: "ben" } }],
    ["no subject", { ...ann, extra: {} }],
    ["another client", { ...ann, clientId: "other" }],
  ])("is refused from %s", async (_, stranger) => {
    const call = serverWith();
    const { requestState } = await call(ann);
    await expect(call(stranger, String(requestState))).rejects.toMatchObject({
      data: { reason: "state_invalid" },
    });
    expect(await call({ ...ann, token: "refreshed" }, String(requestState))).toEqual({
      content: answer.content,
    });
  });

  it("belongs to an access token where no subject is named, and to whom the server names", async () => {
    const anonymous = { clientId: "app", token: "one" };
    const call = serverWith();
    const { requestState } = await call(anonymous);
    await expect(call({ ...anonymous, token: "two" }, String(requestState))).rejects.toThrow();
    const named = serverWith({ userOf: (authInfo) => Reflect.get(authInfo, "person") as string });
    const begun = await named({ person: "ann", token: "one" });
    await expect(
      named({ person: "ben", token: "one" }, String(begun["requestState"])),
    ).rejects.toThrow();
    expect(
      await named({ person: "ann", token: "two" }, String(begun["requestState"])),
    ).toBeDefined();
  });
});
