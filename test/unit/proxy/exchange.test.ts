/** A derived exchange: what it has of its own, and what it shares with the one it was made of. */
import { describe, expect, it } from "vitest";
import type { Refusal } from "../../../src/domain/refusals.ts";
import { err, ok } from "../../../src/domain/result.ts";
import type { Caller } from "../../../src/pipeline/callers/authenticate.ts";
import { derive } from "../../../src/proxy/exchange.ts";
import { exchange, server, session } from "./exchange.fixture.ts";

const denied = (caller: Caller): Caller => ({ ...caller, server: server({ sampling: "deny" }) });

describe("a derived exchange", () => {
  it("sees the caller of now and of later the same way", async () => {
    const derived = derive(exchange(), { caller: denied });
    expect(derived.server.sampling).toBe("deny");
    expect(derived.caller.server?.sampling).toBe("deny");
    for (const read of [derived.current, derived.reauthenticate])
      expect(await read()).toMatchObject({ ok: true, value: { server: { sampling: "deny" } } });
  });

  it("changes nothing of the exchange that it was made of", async () => {
    const original = exchange();
    derive(original, { caller: denied, message: { headers: new Headers(), text: "{}" } });
    expect([original.server.sampling, original.text]).toEqual(["router", ""]);
    expect(await original.current()).toMatchObject({ value: { server: { sampling: "router" } } });
  });

  it("has its message in every form", () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const derived = derive(exchange(), { message: { headers: new Headers({ A: "b" }), text } });
    expect(new TextDecoder().decode(derived.bytes)).toBe(text);
    expect(derived.body?.messages).toMatchObject([{ kind: "request", id: 1 }]);
    expect(derived.headers.get("a")).toBe("b");
  });

  it("refuses by its own word only a caller that was read from the database again", async () => {
    const confirm = async (): Promise<Refusal> => ({ reason: "session_not_found" });
    const derived = derive(exchange(), { confirm });
    expect(await derived.current()).toMatchObject({ ok: true });
    expect(await derived.reauthenticate()).toEqual(err({ reason: "session_not_found" }));
    expect(await derive(exchange(), { confirm: async () => null }).reauthenticate()).toMatchObject({
      ok: true,
    });
  });

  it("passes on why a caller may not call any more, without asking for more", async () => {
    const refusal: Refusal = { reason: "unauthorized", detail: "revoked" };
    const confirm = async (): Promise<Refusal> => ({ reason: "session_not_found" });
    const gone = exchange({ reauthenticate: async () => err(refusal) });
    expect(await derive(gone, { caller: denied, confirm }).reauthenticate()).toEqual(err(refusal));
  });

  it("keeps its server where the derived caller has none", () => {
    const derived = derive(exchange(), { caller: (seen) => ({ ...seen, server: null }) });
    expect(derived.server.id).toBe("srv_1");
  });

  it("derives from a derived one", async () => {
    const bridged = derive(exchange({ session: null }), { caller: denied });
    const derived = derive(bridged, { caller: (seen) => ({ ...seen, session: session() }) });
    expect(await derived.current()).toMatchObject(
      ok({ session: { id: "ses_1" }, server: { sampling: "deny" } }),
    );
  });
});
