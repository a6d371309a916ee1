/** A kill switch stops what it names and nothing else. */
import { describe, expect, it } from "vitest";
import { isStopped, stoppedBy, type Switches } from "../../../src/domain/choice/switches.ts";

const asking = (stopped: Switches, more: { server?: string; ceiling?: string } = {}) =>
  stoppedBy({
    tenant: {
      slug: "acme",
      policy: { stopped },
      ceiling: more.ceiling === undefined ? {} : { stopped: more.ceiling },
    },
    keyId: "key_1",
    server: more.server ?? null,
  });

describe("kill switches", () => {
  it("stop what they name, and nothing else", () => {
    expect(asking({})).toBeNull();
    expect(asking({ keys: { key_2: "leaked" }, servers: { files: "wild" } })).toBeNull();
    expect(asking({ servers: { files: "wild" } }, { server: "mail" })).toBeNull();
    expect(asking({ servers: { files: "wild" } }, { server: "files" })).toEqual({
      reason: "stopped",
      kind: "server",
      name: "files",
      explanation: "wild",
    });
    expect(asking({ keys: { key_1: "leaked" } })).toMatchObject({ kind: "key", name: "key_1" });
  });

  it("name the operator's switch before the tenant's own", () => {
    const refusal = asking({ tenant: "mine" }, { ceiling: "unpaid" });
    expect(refusal).toMatchObject({ kind: "tenant", name: "acme", explanation: "unpaid" });
  });

  it("take no member of Object.prototype for a name", () => {
    expect(asking({ servers: {} }, { server: "constructor" })).toBeNull();
    expect(isStopped({ provider: "constructor", id: "x" }, { providers: {} })).toBe(false);
  });

  it("stop models by glob, and all models of a provider", () => {
    const model = { provider: "openai", id: "gpt-5" };
    expect(isStopped(model, { models: { "openai/gpt-4*": "old" } })).toBe(false);
    expect(isStopped(model, { models: { "openai/gpt-5*": "wrong" } })).toBe(true);
    expect(isStopped(model, { providers: { openai: "down" } })).toBe(true);
    const copy = { provider: "mybedrock", id: "us.anthropic.claude-opus-4-8" };
    expect(isStopped(copy, { models: { "*/claude-opus*": "wrong" } })).toBe(true);
  });
});
