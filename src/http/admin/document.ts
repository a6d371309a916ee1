import type { adminApp } from "./endpoint.ts";

export const adminPath = "/admin/v1";

const info = {
  title: "Sampling Router",
  version: "1",
  description:
    "Sampling, model selection, model endpoints, and tenant administration. Times are returned as ms since the epoch, and accepted as ISO 8601 or ms. Amounts are in USD. Errors are RFC 9457 problems.",
};

/** `{model{.+}}`, a segment with slashes, is not valid in OpenAPI. */
const template = (path: string): string => path.replaceAll(/\{(\w+)\{[^}]*\}\}/g, "{$1}");

const wholePath = (path: string): string =>
  /^\/(?:v1|t|console)\//.test(path) ? path : `${adminPath}${template(path)}`;

type Document = ReturnType<ReturnType<typeof adminApp>["getOpenAPI31Document"]>;
type Responses = Record<string, object>;

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

/** Public and expensive (a tenth of a second), so it is created once. */
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
  return (ownUrl: string | null) => ({
    ...(made ??= make()),
    servers: [{ url: ownUrl ?? "/" }],
  });
}
