/** What a message says that it holds, and what its sender takes. */
const typeOf = ({ headers }: Response): string | undefined =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();

export const isJson = (response: Response): boolean => typeOf(response) === "application/json";
export const isEventStream = (response: Response): boolean =>
  typeOf(response) === "text/event-stream";

/** A stream that answers; one beside an error status is no answer. */
export const streamsAnswer = (response: Response): boolean =>
  response.ok && isEventStream(response);

export const takesStream = (headers: Headers): boolean =>
  (headers.get("Accept") ?? "").includes("text/event-stream");
