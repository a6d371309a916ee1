/** Integers that name requests, beyond what a double holds. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Refusal } from "../../../src/domain/refusals.ts";
import { own, type JsonObject } from "../../../src/domain/json.ts";
import { isId, isSameId, parsedId, parsedMessages } from "../../../src/mcp/json-text/exact-ids.ts";
import { certainIds } from "../../../src/mcp/json-text/certain-id.ts";
import { errorMessage, parseEnvelope, resultMessage } from "../../../src/mcp/jsonrpc.ts";
import { bodyIn } from "../../../src/mcp/message.ts";
import { progressOf } from "../../../src/mcp/progress.ts";

const integer = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String);
const requestOf = (id: string, params = "{}"): string =>
  `{"jsonrpc":"2.0", "method":"ping","id": ${id} ,"params":${params}}`;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("an integer of any length", () => {
  it("is the id of the answer, alone and in a batch", () => {
    fc.assert(
      fc.property(fc.array(integer, { minLength: 1, maxLength: 4 }), (ids) => {
        const texts = ids.map((id) => requestOf(id));
        for (const text of [texts[0] ?? "", `[${texts.join()}]`]) {
          const read = parseEnvelope(encode(text));
          if (!read.ok) throw new Error(read.error.reason);
          for (const [at, message] of read.value.messages.entries()) {
            if (!message.ok || message.value.kind !== "request") throw new Error("no request");
            const answer = JSON.stringify(resultMessage(message.value.id, {}));
            expect(answer).toBe(`{"jsonrpc":"2.0","id":${ids[at]},"result":{}}`);
          }
        }
      }),
    );
  });

  it("is the id of a refusal", () => {
    const refusal: Refusal = { reason: "parse_error" };
    const id = "-9007199254740993";
    const read = parseEnvelope(encode(`{"jsonrpc":"1.0","id":${id},"method":"ping"}`));
    const [message] = read.ok ? read.value.messages : [];
    const known = message?.ok === false ? message.error.id : null;
    expect(JSON.stringify(errorMessage(known, refusal, -1, "req_1"))).toContain(`"id":${id},`);
  });

  it("is the id of what passes through the proxy, and tells neighbours apart", () => {
    const [one, other] = ["9007199254740992", "9007199254740993"].map((id) => {
      const [message] = bodyIn(requestOf(id))?.messages ?? [];
      const [certain] = certainIds(requestOf(id), "request");
      expect(message?.kind === "request" && isSameId(message.id, certain)).toBe(true);
      expect(isSameId(certain, parsedId(id))).toBe(true);
      return certain;
    });
    expect(isSameId(one, other)).toBe(false);
  });

  it("is the token of the progress that is sent for it", () => {
    const token = "18446744073709551615";
    const sent: string[] = [];
    let now = 0;
    const value = parsedMessages(requestOf("1", `{"_meta":{"progressToken":${token}}}`));
    const notify = (message: object): void => void sent.push(JSON.stringify(message));
    progressOf(own(value, "params") as JsonObject, () => (now += 10_000), {
      message: "m",
      notify,
    })?.();
    expect(sent.join()).toContain(`"progressToken":${token},`);
  });

  it("is the id that a cancellation names", () => {
    const text = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}`;
    const [message] = bodyIn(text)?.messages ?? [];
    const named = message?.kind === "notification" ? message.params["requestId"] : null;
    expect([isId(named), JSON.stringify(named)]).toEqual([true, "9007199254740993"]);
  });
});

it("leaves every other value as it is", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value = JSON.parse(text) as unknown;
      expect(parsedMessages(text)).toEqual(value);
      expect(parsedId(text)).toEqual(value);
    }),
  );
  expect(parsedMessages("{")).toBeUndefined();
  expect(isId(parsedId("1e400"))).toBe(false);
  expect(own(own(parsedMessages(requestOf("1", '{"id":9007199254740993}')), "params"), "id")).toBe(
    9_007_199_254_740_992,
  );
});
