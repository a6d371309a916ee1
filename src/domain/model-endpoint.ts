/** The endpoints for programs that speak to model APIs, as their APIs name them. */
export type ModelEndpointName = "chat.completions" | "responses" | "messages";
