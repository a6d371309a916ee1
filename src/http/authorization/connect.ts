/** `/oauth/connect`: a person shows who they are, and goes on to the authorization server of a registered server. */
import { Hono, type Context } from "hono";
import { isOwnOrigin, ownOriginOf } from "../../domain/servers/own-origin.ts";
import { askedAt, type HttpEnv } from "../context.ts";
import { problem } from "../problem.ts";
import { goOn, noPlace, page } from "./connect-onward.ts";
import { connectPage, type ConnectPlace } from "./connect-page.ts";
import { bodyText } from "./form.ts";

const slug = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
function placeIn(c: Context<HttpEnv>): ConnectPlace | null {
  const { tenant = "", server = "" } = c.req.query();
  return slug.test(tenant) && slug.test(server) ? { tenant, server } : null;
}

async function submit(c: Context<HttpEnv>): Promise<Response> {
  const place = placeIn(c);
  const origin = ownOriginOf(askedAt(c));
  if (place === null) return problem(c, { reason: "not_found", what: "no such server" });
  // Another site's form would connect this browser's person to the account of whoever made the form.
  if (!isOwnOrigin(c.req.header("Origin") ?? "", askedAt(c)))
    return problem(c, { reason: "origin_not_allowed" });
  if (origin === null) return problem(c, noPlace);
  const fields = new URLSearchParams((await bodyText(c)) ?? "");
  const connecting = await c.get("services").oauth.connections.byKey({
    ...place,
    key: (fields.get("key") ?? "").trim(),
    address: c.env.address?.() ?? "",
    origin,
  });
  if (!connecting.ok) return problem(c, connecting.error);
  return connecting.value.kind === "onward"
    ? goOn(c, { origin, onward: connecting.value })
    : page(c, connectPage(place, connecting.value.detail), 403);
}

export const connectRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>()
    .get("/connect", (c) => {
      const place = placeIn(c);
      return place === null
        ? problem(c, { reason: "not_found", what: "no such server" })
        : page(c, connectPage(place, null));
    })
    .post("/connect", submit);
