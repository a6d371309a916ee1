/** Rejects placeholders, and addresses that the router doesn't call. */
import type { CloudPlace } from "../../../domain/models/cloud-place.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import type { Providers } from "../../../domain/sampling/providers.ts";
import { problemWithUpstream } from "../../../domain/servers/upstreams.ts";
import { problemWithRequestHeaders } from "../../../domain/servers/request-headers.ts";
import type { HeaderValues } from "../../../domain/tenancy/credential-secret.ts";
import type { WrittenAuth } from "./cloud-input.ts";
import { problemWithKey } from "../../../domain/tenancy/placeholders.ts";

interface Written {
  provider: string;
  baseUrl: string | null;
  apiKey?: string | undefined;
  auth?: WrittenAuth | undefined;
  headers?: HeaderValues | null | undefined;
}

type Named = readonly [member: string, value: string];

const keysIn = ({ apiKey, auth }: Written): Named[] => [
  ...(apiKey === undefined ? [] : [["apiKey", apiKey] as const]),
  ...Object.entries(auth ?? {}).flatMap(([name, value]) =>
    // A key file is checked where it is read.
    name === "serviceAccount" || typeof value !== "string"
      ? []
      : [[`auth.${name}`, value] as const],
  ),
];

const urlsIn = ({ baseUrl }: Written, place: CloudPlace | null): Named[] =>
  Object.entries({
    baseUrl,
    endpoint: place?.cloud === "azure" ? place.endpoint : null,
    tokenUrl: place?.tokenUrl,
  }).flatMap(([name, url]) => (url ? [[name, url] as const] : []));

export function createInputCheck(deps: {
  providers: Pick<Providers, "problemWith">;
  allowPrivateUpstreams: boolean;
  ownOrigins: readonly string[];
}) {
  const rules = { allowPrivate: deps.allowPrivateUpstreams, ownOrigins: deps.ownOrigins };
  const problemIn = (
    named: readonly Named[],
    problemWith: (value: string) => string | null,
  ): Result<null, Refusal> => {
    for (const [path, value] of named) {
      const detail = problemWith(value);
      if (detail !== null) return err({ reason: "invalid_params", path, detail });
    }
    return ok(null);
  };
  return (written: Written, place: CloudPlace | null): Result<null, Refusal> => {
    const keys = problemIn(keysIn(written), problemWithKey);
    if (!keys.ok) return keys;
    const header = problemWithRequestHeaders(written.provider, written.headers ?? {});
    if (header !== null) {
      const path = header.name === null ? "headers" : `headers.${header.name}`;
      return err({ reason: "invalid_params", path, detail: header.detail });
    }
    const urls = problemIn(urlsIn(written, place), (url) => problemWithUpstream(url, rules));
    if (!urls.ok) return urls;
    const detail = deps.providers.problemWith({ ...written, place });
    return detail === null ? ok(null) : err({ reason: "invalid_params", path: "baseUrl", detail });
  };
}
