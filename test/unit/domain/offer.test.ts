/** The capabilities that a server sees follow from the mode and from what the client declared. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json.ts";
import { editsFor, type RouterCapabilities } from "../../../src/domain/servers/offer.ts";
import type { SamplingMode } from "../../../src/domain/servers/server.ts";
import { withCapabilities } from "../../../src/mcp/rev2026/round.ts";

const key = "io.modelcontextprotocol/clientCapabilities";
const all: RouterCapabilities = { tools: true, supportedModalities: ["text", "image"] };

/** The capabilities that a server reads in a request. */
const told = (
  declared: JsonObject,
  mode: SamplingMode,
  routerCapabilities: RouterCapabilities = all,
  modalities: "advertised" | "hidden" = "hidden",
): unknown => {
  const text = JSON.stringify({ id: 1, params: { _meta: { [key]: declared, x: 1 } } });
  const options = { mode, routerCapabilities, modalities, tasks: "hidden" } as const;
  const sent = withCapabilities(text, editsFor(declared, options));
  const { id, params } = JSON.parse(sent);
  expect([id, params._meta.x]).toEqual([1, 1]);
  return params._meta[key];
};

const tasks = "io.modelcontextprotocol/tasks";
const rich = {
  roots: {},
  sampling: { context: {}, supportedModalities: ["audio"], "x-own": 1 },
  elicitation: { form: {} },
  tasks: { list: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
  extensions: { [tasks]: {}, other: { a: 1 } },
};
const rest = {
  roots: {},
  elicitation: { form: {} },
  tasks: { list: {}, requests: { elicitation: { create: {} } } },
  extensions: { other: { a: 1 } },
};

describe("the capabilities that are advertised to a server", () => {
  // cites: M-006
  it("by `router`: what the router can do and nothing else", () => {
    expect(told({}, "router")).toEqual({ sampling: { tools: {} } });
    expect(told(rich, "router")).toEqual({ ...rest, sampling: { tools: {} } });
    expect(told({}, "router", { tools: false, supportedModalities: ["text"] })).toEqual({
      sampling: {},
    });
    expect(told(rich, "router", all, "advertised")).toEqual({
      ...rest,
      sampling: { tools: {}, supportedModalities: ["text", "image"] },
    });
    expect(told(rich, "router", null)).toEqual(rest);
  });

  it("by `client`: what the client said", () => {
    expect(told(rich, "client")).toEqual(rich);
    expect(
      editsFor(rich, {
        mode: "client",
        routerCapabilities: all,
        modalities: "advertised",
        tasks: "hidden",
      }),
    ).toEqual([]);
  });

  it("by `client-then-router`: what either can do", () => {
    expect(told({}, "client-then-router")).toEqual({ sampling: { tools: {} } });
    expect(told(rich, "client-then-router")).toEqual({
      ...rest,
      sampling: { tools: {}, "x-own": 1 },
    });
    expect(told(rich, "client-then-router", all, "advertised")).toEqual({
      ...rest,
      sampling: { tools: {}, "x-own": 1, supportedModalities: ["text", "image", "audio"] },
    });
    const clients = { sampling: { tools: { own: 1 } } };
    expect(told(clients, "client-then-router")).toEqual(clients);
    const plain: RouterCapabilities = { tools: false, supportedModalities: ["text"] };
    expect(told(clients, "client-then-router", plain)).toEqual(clients);
    expect(told(clients, "client-then-router", null)).toEqual(clients);
  });

  it("by `client-then-router`: of tasks where the client itself is asked for whatever is advertised", () => {
    const whole = {
      ...rich,
      sampling: { tools: {}, supportedModalities: ["text", "image"] },
    };
    const { sampling: _, ...others } = whole;
    expect(told(whole, "client-then-router")).toEqual({ ...others, sampling: { tools: {} } });
    expect(told(whole, "client-then-router", null)).toEqual(whole);
    expect(told(whole, "client-then-router", null)).toHaveProperty("tasks.requests.sampling");
    for (const lacking of [
      { ...whole, sampling: { supportedModalities: ["text", "image"] } },
      { ...whole, sampling: { tools: {} } },
      others,
    ])
      expect(told(lacking, "client-then-router")).not.toHaveProperty("tasks.requests.sampling");
    for (const mode of ["router", "deny"] as const) expect(told(whole, mode)).toMatchObject(rest);
  });

  it("by every mode: of the tasks extension, where the router answers sampling in tasks", () => {
    for (const mode of ["router", "client", "client-then-router", "deny"] as const) {
      const options = { mode, routerCapabilities: all, modalities: "hidden" } as const;
      const paths = editsFor(rich, { ...options, tasks: "answered" }).map(({ path }) => path[0]);
      expect(paths).not.toContain("extensions");
    }
  });

  it("by `deny`: of no sampling", () => {
    expect(told(rich, "deny")).toEqual(rest);
    expect(told({ roots: {} }, "deny")).toEqual({ roots: {} });
  });

  it("never of context, and of unknown members only if the server's entry says so", () => {
    const capabilities = fc.record(
      {
        sampling: fc.oneof(
          fc.constant(null),
          fc.record(
            {
              tools: fc.constant({}),
              context: fc.constant({}),
              supportedModalities: fc.oneof(fc.constant(7), fc.constant(["image"])),
            },
            { requiredKeys: [] },
          ),
        ),
        roots: fc.constant({}),
        extensions: fc.dictionary(fc.constantFrom(tasks, "a"), fc.constant({})),
      },
      { requiredKeys: [] },
    );
    const modes = fc.constantFrom<SamplingMode[]>("router", "client-then-router", "deny");
    fc.assert(
      fc.property(capabilities, modes, fc.boolean(), (declared, mode, tools) => {
        const routerCapabilities: RouterCapabilities = { tools, supportedModalities: ["text"] };
        const server = told(declared as JsonObject, mode, routerCapabilities) as JsonObject;
        expect(server["sampling"] ?? {}).not.toHaveProperty("context");
        expect(server["sampling"] ?? {}).not.toHaveProperty("supportedModalities");
        // The client of that mode that can do all itself lacks only what the test's router has not.
        if (mode !== "client-then-router")
          expect(server["extensions"] ?? {}).not.toHaveProperty([tasks]);
        expect(Object.hasOwn(server, "sampling")).toBe(mode !== "deny");
        expect(server["roots"]).toEqual(declared.roots);
      }),
    );
  });

  it("with an unchanged text where nothing has to change", () => {
    const text = `{ "params":{"_meta":{"${key}":{ "sampling" :{"tools":{} },"e":1.50}}} }`;
    const declared = { sampling: { tools: {} }, e: 1.5 };
    const options = { routerCapabilities: all, modalities: "hidden", tasks: "hidden" } as const;
    for (const mode of ["router", "client-then-router", "client"] as const)
      expect(withCapabilities(text, editsFor(declared, { mode, ...options }))).toBe(text);
  });
});
