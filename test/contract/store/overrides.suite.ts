import { describe, expect, it } from "vitest";
import { event, start, tenant } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

export const overridesSuite = (backend: Backend): void => {
  describe("overrides", () => {
    const world = givenWorld(backend);
    const someTenant = async () => {
      const its = tenant();
      value(await world.stores.tenants.create(its, event(its.id)));
      return its.id;
    };

    it("keeps one override for each model, the last one, in a stable order", async () => {
      const tenantId = await someTenant();
      const { overrides } = world.stores;
      const put = async (provider: string, model: string, name: string) =>
        value(
          await overrides.put(
            tenantId,
            { provider, id: model, change: { name, contextTokens: null } },
            start,
            event(tenantId),
          ),
        );
      await put("openai", "gpt", "First");
      await put("openai", "gpt", "Second");
      // An id may hold a slash of its own.
      await put("groq", "openai/gpt-oss", "Third");
      const change = { contextTokens: null };
      expect(value(await overrides.list(tenantId))).toEqual([
        { provider: "groq", id: "openai/gpt-oss", change: { name: "Third", ...change } },
        { provider: "openai", id: "gpt", change: { name: "Second", ...change } },
      ]);
      expect(value(await world.stores.tenants.byId(tenantId))?.version).toBe(4);
    });

    it("is gone when it is removed", async () => {
      const tenantId = await someTenant();
      const { overrides } = world.stores;
      const override = { provider: "openai", id: "gpt", change: {} };
      value(await overrides.put(tenantId, override, start, event(tenantId)));
      value(await overrides.remove(tenantId, "openai", "other", event(tenantId)));
      expect(value(await overrides.list(tenantId))).toEqual([override]);
      value(await overrides.remove(tenantId, "openai", "gpt", event(tenantId)));
      expect(value(await overrides.list(tenantId))).toEqual([]);
    });
  });
};
