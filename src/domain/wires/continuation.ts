import type { SamplingCall } from "../sampling/call.ts";

const request =
  "Continue your last message exactly where it ends. Write only what follows, and repeat nothing of it.";

export const continuationNote =
  "messages: a request to continue added, since no model goes on with the assistant's last message";

/** Source: https://platform.claude.com/docs/en/about-claude/models/migration-guide, on prefilled messages. */
export const withContinuationRequest = (call: SamplingCall): SamplingCall => ({
  ...call,
  messages: [...call.messages, { role: "user", content: [{ type: "text", text: request }] }],
});
