/** A tenant of the router for the bench, over the admin API. */
import { providerKey, providerModel } from "./provider.ts";

export interface Tenant {
  id: string;
  /** A new API key, with limits of its own. */
  newKey(): Promise<string>;
  /** Moves the tenant's version, as any change of it does. */
  touch(): Promise<void>;
}

/** Never reached, always computed. */
const max = 1_000_000_000;
const limits = { requestsPerMinute: max, tokensPerMinute: max, concurrent: max };

export async function createTenant(router: {
  url: string;
  adminToken: string;
  providerUrl: string;
  /** absent: `bench` */
  slug?: string;
}): Promise<Tenant> {
  const { slug = "bench" } = router;
  const path = `/tenants/${slug}`;
  const call = async (method: string, at: string, body: object): Promise<unknown> => {
    const answer = await fetch(`${router.url}/admin/v1${at}`, {
      method,
      headers: {
        authorization: `Bearer ${router.adminToken}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok)
      throw new Error(`${method} ${at} was answered ${answer.status}: ${text.slice(0, 400)}`);
    return JSON.parse(text);
  };
  const touch = async (): Promise<void> => {
    await call("PUT", `${path}/policy`, { limits, allowedModels: [`openai/${providerModel}`] });
  };
  const made = await call("POST", "/tenants", { slug, name: "Bench" });
  await call("POST", `${path}/credentials`, {
    provider: "openai",
    name: "local",
    apiKey: providerKey,
    baseUrl: router.providerUrl,
  });
  await touch();
  return {
    id: (made as { id: string }).id,
    touch,
    async newKey() {
      const key = await call("POST", `${path}/keys`, {
        name: "bench",
        scopes: ["sampling"],
        limits,
      });
      return (key as { key: string }).key;
    },
  };
}
