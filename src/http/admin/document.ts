/** The OpenAPI document: every operation under the path at which it is called, on this server. */
import type { adminApp } from "./endpoint.ts";

export const adminPath = "/admin/v1";

const info = {
  title: "Sampling Router",
  version: "1",
  description:
    "Sampling, its dry run, the model endpoints, and the administration of tenants. Times come out as ms since the epoch, and go in as ISO 8601 or ms. Money is USD. Errors are RFC 9457 problems.",
};

/** The router's own pattern for a segment with slashes, `{model{.+}}`, is no template in OpenAPI. */
const template = (path: string): string => path.replaceAll(/\{(\w+)\{[^}]*\}\}/g, "{$1}");

/** Operations under `/v1`, `/t` and `/console` are no part of the admin app, and have their whole path already. */
const wholePath = (path: string): string =>
  /^\/(?:v1|t|console)\//.test(path) ? path : `${adminPath}${template(path)}`;

type Document = ReturnType<ReturnType<typeof adminApp>["getOpenAPI31Document"]>;
type Responses = Record<string, object>;

/** Nearly all operations share their error responses, which the document then has once. */
function withSharedErrors(document: Document): Document {
  const named = new Map<string, string>();
  const responses: Responses = {};
  const share = (status: string, response: object): object => {
    const text = JSON.stringify(response);
    const known = [...named.keys()].filter((key) => key.startsWith(`${status} `)).length;
    const name =
      named.get(`${status} ${text}`) ?? `Error${status}${known === 0 ? "" : `_${known + 1}`}`;
    named.set(`${status} ${text}`, name);
    responses[name] = response;
    return { $ref: `#/components/responses/${name}` };
  };
  for (const item of Object.values(document.paths ?? {}))
    for (const operation of Object.values(item)) {
      const own = (operation as { responses?: Responses } | undefined)?.responses ?? {};
      for (const [status, response] of Object.entries(own))
        if (Number(status) >= 400) own[status] = share(status, response);
    }
  const components = { ...document.components, responses } as NonNullable<Document["components"]>;
  return { ...document, components };
}

/** The whole document. Anybody may ask for it, and it takes a tenth of a second to make, so it is made once. */
export function createDocument(app: ReturnType<typeof adminApp>) {
  const make = () => {
    const document = withSharedErrors(app.getOpenAPI31Document({ openapi: "3.1.0", info }));
    const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [
      wholePath(path),
      item,
    ]);
    return { ...document, paths: Object.fromEntries(paths) as typeof document.paths };
  };
  let made: ReturnType<typeof make> | null = null;
  /** @param ownUrl null: unknown, so the document's own address counts */
  return (ownUrl: string | null) => ({
    ...(made ??= make()),
    servers: [{ url: ownUrl ?? "/" }],
  });
}
