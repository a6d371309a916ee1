/** A tenant whose OpenAI and Anthropic credentials lead to a fake provider, for calls of the model endpoints. */
import { adminOf } from "./caller.ts";
import { startRecordingProvider, type RecordingProvider } from "./recording-provider.ts";
import { borrowRouter, type SharedRouter } from "./shared-router.ts";

export interface ModelTenant {
  router: SharedRouter;
  admin: ReturnType<typeof adminOf>;
  /** URL below which the tenant's endpoints are */
  base: string;
  /** @returns a new key with the scope `models` */
  keyWith(limits?: object): Promise<string>;
}

export async function createModelTenant(
  slug: string,
  provider: { url: (name: string) => string },
): Promise<ModelTenant> {
  const router = await borrowRouter();
  const admin = adminOf(router, router.adminToken);
  await admin("POST", "/tenants", { slug, name: slug });
  for (const name of ["openai", "anthropic"])
    await admin("POST", `/tenants/${slug}/credentials`, {
      provider: name,
      name,
      apiKey: `${name}-key`,
      baseUrl: provider.url(name),
    });
  return {
    router,
    admin,
    base: `${router.url}/t/${slug}`,
    async keyWith(limits = {}) {
      const key = { name: slug, scopes: ["models"], limits };
      return String((await admin("POST", `/tenants/${slug}/keys`, key)).get("key"));
    },
  };
}

export type ModelWorld = ModelTenant & { provider: RecordingProvider };

export async function startModelWorld(slug: string): Promise<ModelWorld> {
  const provider = await startRecordingProvider();
  return { ...(await createModelTenant(slug, provider)), provider };
}
