/** What providers list for a key, read through all pages. */
import { describe, expect, it } from "vitest";
import { listModels } from "../../../src/providers/listing.ts";

interface Asked {
  path: string;
  headers: Headers;
}

/** A provider that answers each page by what is asked for. */
function listing(provider: string, pageOf: (query: URLSearchParams, count: number) => unknown) {
  const asked: Asked[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = new URL(String(input));
    asked.push({ path: url.pathname + url.search, headers: new Headers(init?.headers) });
    const page = pageOf(url.searchParams, asked.length);
    return page === null ? new Response("", { status: 503 }) : Response.json(page);
  };
  const read = listModels(
    { provider, apiKey: "a-secret-key", baseUrl: null },
    {
      fetch,
      baseUrl: "https://provider.test/v1/",
      signal: AbortSignal.timeout(5_000),
    },
  );
  return { read, asked };
}

const anthropicPages = (query: URLSearchParams): object => {
  const after = query.get("after_id");
  return after === null
    ? { data: [{ id: "claude-a" }, { id: "claude-b" }], has_more: true, last_id: "claude-b" }
    : { data: [{ id: "claude-c" }], has_more: false, last_id: after };
};

describe("a list of models", () => {
  it("of Anthropic is read page by page", async () => {
    const { read, asked } = listing("anthropic", anthropicPages);
    expect(await read).toEqual({ ids: ["claude-a", "claude-b", "claude-c"], isComplete: true });
    expect(asked.map(({ path }) => path)).toEqual([
      "/v1/models?limit=1000",
      "/v1/models?limit=1000&after_id=claude-b",
    ]);
  });

  it("of Google is read page by page", async () => {
    const { read, asked } = listing("google", (query) =>
      query.get("pageToken") === null
        ? { models: [{ name: "models/gemini-a" }], nextPageToken: "two" }
        : { models: [{ name: "models/gemini-b" }] },
    );
    expect(await read).toEqual({ ids: ["gemini-a", "gemini-b"], isComplete: true });
    expect(asked.map(({ path }) => path)).toEqual([
      "/v1/models?pageSize=1000",
      "/v1/models?pageSize=1000&pageToken=two",
    ]);
  });

  it("of others has one page, and the key is in no URL", async () => {
    const { read, asked } = listing("openai", () => ({ data: [{ id: "gpt-5" }, { id: "<b>" }] }));
    expect(await read).toEqual({ ids: ["gpt-5"], isComplete: true });
    expect(asked.map(({ path }) => path)).toEqual(["/v1/models"]);
    expect(asked[0]?.headers.get("authorization")).toBe("Bearer a-secret-key");
  });

  it.each([
    [
      "a page that fails",
      (query: URLSearchParams) => (query.has("after_id") ? null : anthropicPages(query)),
    ],
    [
      "a page that repeats itself",
      () => ({ data: [{ id: "claude-a" }], has_more: true, last_id: "claude-a" }),
    ],
    [
      "pages without end",
      (_: URLSearchParams, count: number) => ({
        data: [{ id: `claude-${count}` }],
        has_more: true,
        last_id: `claude-${count}`,
      }),
    ],
    [
      "more models than count",
      () => ({
        data: Array.from({ length: 2_001 }, (__, at) => ({ id: `claude-${at}` })),
        has_more: false,
      }),
    ],
  ])("with %s is not whole", async (_, pageOf) => {
    const { read, asked } = listing("anthropic", pageOf);
    expect((await read)?.isComplete).toBe(false);
    expect(asked.length).toBeLessThanOrEqual(20);
  });

  it.each([
    ["an error", () => null],
    ["another shape", () => ["gpt-5"]],
  ])("is none where the first page is %s", async (_, pageOf) => {
    expect(await listing("openai", pageOf).read).toBeNull();
  });
});
