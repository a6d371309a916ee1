/** A streamed body follows its reader and fails where its source fails. */
import { describe, expect, it } from "vitest";
import { streamOf } from "../../../src/http/admin/stream.ts";

function source(chunks: readonly (string | Error)[]) {
  const seen = { made: 0, ended: false };
  async function* make(): AsyncGenerator<string> {
    try {
      for (const chunk of chunks) {
        seen.made += 1;
        if (chunk instanceof Error) throw chunk;
        yield chunk;
      }
    } finally {
      seen.ended = true;
    }
  }
  return { seen, stream: streamOf(make()) };
}

/** Resolves once everything that can be made ahead has been made. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("a streamed body", () => {
  it("is all of its chunks, in UTF-8", async () => {
    const { stream } = source(["é", "", "b\n", ""]);
    expect(await new Response(stream).text()).toBe("éb\n");
  });

  it("makes nothing before its reader asks", async () => {
    const { seen, stream } = source(["a", "b", "c"]);
    await settle();
    expect(seen.made).toBe(0);
    const reader = stream.getReader();
    await reader.read();
    await settle();
    expect(seen.made).toBe(1);
    await reader.cancel();
    expect(seen).toEqual({ made: 1, ended: true });
  });

  it("fails where its source does, and does not look complete", async () => {
    const { stream } = source(["a", new Error("cut")]);
    await expect(new Response(stream).text()).rejects.toThrow("cut");
  });
});
