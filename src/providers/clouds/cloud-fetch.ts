/** Requests to a cloud, in its form, and authenticated in place of the libraries' own headers. */
import { AwsV4Signer } from "aws4fetch";
import { isObject, parsedJson } from "../../domain/json.ts";
import type { CloudPlace } from "../../domain/models/cloud-place.ts";
import type { ProviderCredential } from "../../domain/sampling/providers.ts";
import { betasIn, claudeFormOf } from "./claude.ts";
import { asEventStream } from "./event-stream.ts";

type Credential = Pick<ProviderCredential, "apiKey" | "aws" | "place">;

/** Headers in which the libraries send the key. */
const keyHeaders = ["authorization", "x-api-key", "x-goog-api-key"];

/** Source: https://learn.microsoft.com/azure/ai-services/openai/reference#authentication */
const keyHeaderOf = ({ cloud, auth }: CloudPlace, key: string): [name: string, value: string] =>
  cloud === "azure" && auth === "apiKey" ? ["api-key", key] : ["authorization", `Bearer ${key}`];

interface Outgoing {
  url: string;
  headers: Headers;
  body: RequestInit["body"];
}

const messagesPath = "/messages";

/** A request for Claude that a library wrote in its maker's form. */
function inCloudForm(place: CloudPlace, { url, headers, body }: Outgoing): Outgoing {
  const form = claudeFormOf(place);
  const written = typeof body === "string" ? parsedJson(body) : undefined;
  if (form === undefined || !url.endsWith(messagesPath) || !isObject(written))
    return { url, headers, body };
  const { model, stream, ...rest } = written;
  const id = typeof model === "string" ? model : "";
  const isStream = stream === true;
  const betas = form.betasInBody ? betasIn(headers.get("anthropic-beta")) : [];
  return {
    url: `${url.slice(0, -messagesPath.length)}/${form.path(id, isStream)}`,
    headers,
    body: JSON.stringify({
      anthropic_version: form.version,
      ...(betas.length > 0 && { anthropic_beta: betas }),
      ...rest,
      ...(form.saysStream && isStream && { stream }),
    }),
  };
}

/** Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html */
async function signed(
  { url, headers, body }: Outgoing,
  { method, service, region, aws, now }: SigningWith,
): Promise<Headers> {
  const signer = new AwsV4Signer({
    url,
    method,
    headers,
    ...(body !== undefined && { body }),
    ...aws,
    service,
    region,
    datetime: new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, ""),
  });
  return (await signer.sign()).headers;
}

interface SigningWith {
  method: string;
  service: string;
  region: string;
  aws: NonNullable<Credential["aws"]>;
  now: number;
}

async function authenticated(
  { place, apiKey, aws }: Credential & { place: CloudPlace },
  outgoing: Outgoing,
  { method, now }: { method: string; now: number },
): Promise<Headers> {
  const headers = new Headers(outgoing.headers);
  for (const name of keyHeaders) headers.delete(name);
  if (claudeFormOf(place)?.betasInBody === true)
    for (const name of ["anthropic-version", "anthropic-beta"]) headers.delete(name);
  if (place.cloud === "bedrock" && aws !== undefined) {
    const { region, served } = place;
    const service = served?.host === "bedrock-mantle" ? served.host : "bedrock";
    return signed({ ...outgoing, headers }, { method, service, region, aws, now });
  }
  headers.set(...keyHeaderOf(place, apiKey));
  return headers;
}

/** Unchanged for other providers. */
export function cloudFetch(
  inner: typeof fetch,
  { now, ...credential }: Credential & { now: () => number },
): typeof fetch {
  const { place } = credential;
  if (!place) return inner;
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const method = init?.method ?? "GET";
    const headers = new Headers(init?.headers);
    const outgoing = inCloudForm(place, { url, headers, body: init?.body });
    const asked = { method, now: now() };
    const its = await authenticated({ ...credential, place }, outgoing, asked);
    const response = await inner(outgoing.url, {
      ...init,
      ...(outgoing.body !== undefined && { body: outgoing.body }),
      headers: Object.fromEntries(its),
    });
    const type = response.headers.get("content-type") ?? "";
    return type.startsWith("application/vnd.amazon.eventstream") && response.ok
      ? asEventStream(response)
      : response;
  };
}
