import { Hono } from "hono";
import type { HttpEnv } from "./context.ts";
import { limitPublicRequests } from "./middleware/public-requests.ts";
import { problem } from "./problem.ts";

/** All public keys that ever signed, as a JWK set (RFC 7517, RFC 8037). Public, without a key. */
export const auditKeyRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>().get("/audit-keys.json", limitPublicRequests, async (c) => {
    const found = await c.get("services").audit.auditKeys();
    if (!found.ok) return problem(c, found.error);
    const keys = found.value.map(({ id, publicKey }) => ({
      kty: "OKP",
      crv: "Ed25519",
      use: "sig",
      kid: id,
      x: publicKey,
    }));
    return c.json({ keys }, 200, { "Cache-Control": "public, max-age=300" });
  });
