/** The endpoints for programs that speak to model APIs, as their APIs name them. */
export type ModelEndpointName = "chat.completions" | "responses" | "messages";

/** Where usage counts calls of servers, and of `/v1/sampling`. */
export const samplingEndpoint = "sampling";
