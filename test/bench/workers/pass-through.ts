/** The least that a gateway on Hono can do: what the router's figures are compared with. */
import { Hono } from "hono";

const app = new Hono<{ Bindings: { PROVIDER_URL: string } }>();

app.post("/v1/chat/completions", async (c) => {
  const answer = await fetch(`${c.env.PROVIDER_URL}/chat/completions`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: c.req.header("Authorization") ?? "",
    },
    body: await c.req.text(),
  });
  return c.body(await answer.text(), {
    status: 200,
    headers: { "Content-Type": "application/json" },
  });
});

export default app;
