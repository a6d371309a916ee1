/** Cookies go with every answer, refusals too: a cookie for one try must not be there for a second one. */
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import type { HttpEnv } from "../../../src/http/context.ts";
import { problemOf } from "../../../src/http/problem.ts";
import { keepCookie, takeCookie } from "../../../src/http/session-cookie.ts";

const origin = "https://router.example";
const refused = () => problemOf("req_1", { reason: "not_found", what: "state" });

/** As the router's app, which has middleware: it joins what handlers return with what was set before. */
const appWith = () => new Hono<HttpEnv>().use((_, next) => next());
const answered = (app: Hono<HttpEnv>) =>
  app.request(`${origin}/`, { headers: { Cookie: "__Host-sr_connect=once" } });

describe("a cookie for one try", () => {
  it("is forgotten with a refusal, and with a page", async () => {
    for (const answer of [refused, () => new Response("page")]) {
      const app = appWith().get("/", (c) => {
        expect(takeCookie(c, "connect", origin)).toBe("once");
        return answer();
      });
      const { headers } = await answered(app);
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(/^__Host-sr_connect=; Max-Age=0; Path=\/; HttpOnly; Secure/),
      ]);
    }
  });

  it("leaves the answer's own headers, and another cookie, as they are", async () => {
    const app = appWith().get("/", (c) => {
      takeCookie(c, "connect", origin);
      keepCookie(c, "person", { origin, value: "new", seconds: 60 });
      return refused();
    });
    const answer = await answered(app);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
    expect(answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0])).toEqual([
      "__Host-sr_connect=",
      "__Host-sr_person=new",
    ]);
  });

  it("that nobody sent is not forgotten", async () => {
    const app = appWith().get("/", (c) => {
      expect(takeCookie(c, "sign_in", origin)).toBeNull();
      return refused();
    });
    expect((await answered(app)).headers.getSetCookie()).toEqual([]);
  });
});
