/** The least that a streaming proxy can do: what the figures of the router's proxy are compared with. */
export default {
  fetch: (request: Request, env: { SERVER_URL: string }): Promise<Response> =>
    fetch(new Request(env.SERVER_URL, request), { redirect: "manual" }),
};
