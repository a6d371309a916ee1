/**
 * A stub of an S3-compatible store, written from S3's API reference: "PutObject" with `If-None-Match` and object lock,
 * "GetObject", "ListObjectsV2". It checks hashes and no signatures; `npm run soak -- sink` asks a store of others.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ObjectStore {
  url: string;
  /** by bucket and key, such as `audit/router/ten_1/…`; a test may change them */
  objects: Map<string, string>;
  /** until when each is locked, as the header said it */
  locks: Map<string, string>;
  /** statuses of all puts */
  puts: number[];
  /** for a while every request is answered with that status; null: none is */
  failing: number | null;
  /** access keys that were shown */
  accessKeys: Set<string>;
  stop(): Promise<void>;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("'", "&#39;");

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** @param pageSize keys in one answer of the list */
export async function startObjectStore(pageSize = 2): Promise<ObjectStore> {
  function put(request: IncomingMessage, name: string, body: Buffer): number {
    const { headers } = request;
    const hash = createHash("sha256").update(body);
    if (headers["x-amz-content-sha256"] !== hash.copy().digest("hex")) return 400;
    if (headers["x-amz-checksum-sha256"] !== hash.digest("base64")) return 400;
    const until = headers["x-amz-object-lock-retain-until-date"];
    if (store.objects.has(name)) {
      if (headers["if-none-match"] === "*") return 412;
      if (Date.parse(store.locks.get(name) ?? "") > Date.now()) return 403;
    }
    store.objects.set(name, body.toString("utf8"));
    if (typeof until === "string" && headers["x-amz-object-lock-mode"] === "COMPLIANCE")
      store.locks.set(name, until);
    return 200;
  }
  function list(asked: URL): string {
    const bucket = asked.pathname.split("/")[1] ?? "";
    const prefix = `${bucket}/${asked.searchParams.get("prefix") ?? ""}`;
    const after = asked.searchParams.get("continuation-token") ?? "";
    const found = [...store.objects.keys()]
      .filter((name) => name.startsWith(prefix) && name > after)
      .toSorted();
    const page = found.slice(0, pageSize);
    const isCut = found.length > page.length;
    const keys = page.map((name) => escaped(name.slice(bucket.length + 1)));
    return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${isCut}</IsTruncated>${
      isCut ? `<NextContinuationToken>${escaped(page.at(-1) ?? "")}</NextContinuationToken>` : ""
    }${keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join("")}</ListBucketResult>`;
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const [, accessKey = ""] = /Credential=([^/]+)/.exec(request.headers.authorization ?? "") ?? [];
    if (accessKey !== "") store.accessKeys.add(accessKey);
    const asked = new URL(request.url ?? "/", store.url);
    const name = decodeURIComponent(asked.pathname.slice(1));
    if (store.failing !== null) return void response.writeHead(store.failing).end();
    if (accessKey === "") return void response.writeHead(403).end();
    if (request.method === "PUT") {
      const status = put(request, name, body);
      store.puts.push(status);
      return void response.writeHead(status).end();
    }
    if (asked.searchParams.get("list-type") === "2")
      return void response.writeHead(200, { "Content-Type": "application/xml" }).end(list(asked));
    const text = store.objects.get(name);
    response.writeHead(text === undefined ? 404 : 200).end(text);
  }
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const store: ObjectStore = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects: new Map(),
    locks: new Map(),
    puts: [],
    failing: null,
    accessKeys: new Set(),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return store;
}
