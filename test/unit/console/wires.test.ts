/** The playground's request is one that each model endpoint takes, and means the same at all of them. */
import { describe, expect, it } from "vitest";
import { curlOf } from "../../../src/console/playground/wire-request.ts";
import { requestIn, wires, type Wire } from "../../../src/console/playground/wires.ts";
import type { JsonObject } from "../../../src/domain/json.ts";
import { decodeChat } from "../../../src/http/models/chat-request.ts";
import { decodeMessages } from "../../../src/http/models/messages-request.ts";
import { decodeResponses } from "../../../src/http/models/responses-request.ts";

const decoders = {
  "Chat Completions": decodeChat,
  Responses: decodeResponses,
  Messages: decodeMessages,
} as const satisfies Record<Wire, unknown>;
const text = { type: "text", text: "It's here." };
const image = { type: "image", data: "UE5H", mimeType: "image/png" };
const tool = { name: "read", description: "Reads.", inputSchema: { type: "object" } };
const params = {
  messages: [{ role: "user", content: [text, image] }],
  maxTokens: 50,
  modelPreferences: {
    hints: [{ name: "haiku" }, { name: "mini" }],
    costPriority: 0.5,
    speedPriority: 0,
    intelligencePriority: 1,
  },
  systemPrompt: "Be brief.",
  tools: [tool],
};

describe.each(wires)("%s", (wire) => {
  it("carries messages, tools, limit and system prompt", () => {
    const { body } = requestIn(wire, params);
    const decoded = decoders[wire](body as JsonObject);
    expect(decoded).toMatchObject({
      ok: true,
      value: {
        call: {
          messages: [{ role: "user", content: [text, image] }],
          maxTokens: 50,
          systemPrompt: "Be brief.",
          tools: [tool],
        },
        ignored: [],
      },
    });
  });

  it("has hints and priorities as headers, and quotes what a shell would read", () => {
    const request = requestIn(wire, params);
    expect(request.headers).toMatchObject({
      "X-Router-Hints": "haiku,mini",
      "X-Router-Priorities": "cost=0.5,speed=0,intelligence=1",
    });
    const shown = curlOf(request, { url: "https://router.test", key: "$ROUTER_KEY" });
    expect(shown).toContain(`https://router.test${request.path} \\\n`);
    expect(shown).toContain(`It'\\''s here.`);
    expect(shown).toContain('"Authorization: Bearer $ROUTER_KEY"');
  });
});
