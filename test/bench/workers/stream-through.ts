/** The least that a streaming proxy can do: what the figures of the router's proxy are compared with. */
export default {
  fetch: (request: Request, env: { SERVER_URL: string }): Promise<Response> =>
    fetch(env.SERVER_URL, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      redirect: "manual",
    }),
};
