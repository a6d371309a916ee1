/** What the proxy needs to know of a registered server beyond its address. */
import type { McpServer } from "./ports.ts";
import type { ServerPolicy } from "./policy.ts";

export interface Traits {
  policy: ServerPolicy;
  /** the client's own `Authorization` goes on to the server */
  forwardAuthorization: boolean;
  /** it is told of the modalities that the router can produce */
  supportedModalities: boolean;
  /** it refused anything richer than a bare `sampling: {}` */
  bareCapabilities: boolean;
}

export const traitsOf = (_server: McpServer): Traits => ({
  policy: {},
  forwardAuthorization: false,
  supportedModalities: false,
  bareCapabilities: false,
});
