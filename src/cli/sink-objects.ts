/**
 * Reads an audit sink from an S3-compatible store. The store is untrusted: its list says what to fetch, the
 * chain what must exist. Source: S3's API reference, "ListObjectsV2" and "GetObject".
 */
import { withoutTrailing } from "../domain/bounded-url.ts";
import { AwsClient } from "aws4fetch";
import { z } from "zod";

const scheme = "s3://";
const maxObjects = 1_000_000;
/** A page has up to 1,000 keys; bounds a malicious store. */
const maxPages = 2 * (maxObjects / 1_000);
/** Pages without a key occur after many deletions. */
const maxPagesWithoutKey = 10;

export const isStorePath = (path: string): boolean => path.startsWith(scheme);

export interface StoredObject {
  /** for example `s3://bucket/router/ten_01…/000000000001-000000000008.ndjson` */
  name: string;
  open(): AsyncIterable<Uint8Array>;
}

/** As AWS's tools name them. */
const environment = z.object({
  AWS_ACCESS_KEY_ID: z.string().min(1),
  AWS_SECRET_ACCESS_KEY: z.string().min(1),
  AWS_SESSION_TOKEN: z.string().optional(),
  AWS_REGION: z.string().default("us-east-1"),
  AWS_ENDPOINT_URL: z.string().optional(),
});

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

const lastCodePoint = 0x10ffff;

/** S3's answers have no attributes or comments. */
const textsIn = (xml: string, element: string): string[] =>
  Array.from(xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g")), ([, text = ""]) =>
    text.replaceAll(
      /&(?:(\w{1,8})|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
      (whole, name, decimal, hex) => {
        if (name !== undefined) return entities[name] ?? whole;
        const point = decimal === undefined ? parseInt(hex, 16) : Number(decimal);
        return point > lastCodePoint ? whole : String.fromCodePoint(point);
      },
    ),
  );

interface Store {
  bucket: string;
  prefix: string;
  get(path: string, query?: Record<string, string>): Promise<Response>;
}

/** Escaped as signed. */
const pathOf = (key: string): string => key.split("/").map(encodeURIComponent).join("/");

/** Throws an error for people, without secrets. */
function storeAt(path: string, env: Record<string, string | undefined>): Store {
  const [bucket = "", ...rest] = path.slice(scheme.length).split("/");
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new Error(`${path} names no bucket: s3://<bucket>/<prefix>/<tenant id>`);
  const settings = environment.safeParse(env);
  if (!settings.success)
    throw new Error(`${path} needs ${settings.error.issues[0]?.path.join(".")} in the environment`);
  const { AWS_REGION: region, AWS_ENDPOINT_URL: endpoint, ...keys } = settings.data;
  const base = withoutTrailing(endpoint ?? `https://s3.${region}.amazonaws.com`, "/");
  if (URL.parse(base) === null) throw new Error("AWS_ENDPOINT_URL isn't a URL");
  const client = new AwsClient({
    accessKeyId: keys.AWS_ACCESS_KEY_ID,
    secretAccessKey: keys.AWS_SECRET_ACCESS_KEY,
    ...(keys.AWS_SESSION_TOKEN !== undefined && { sessionToken: keys.AWS_SESSION_TOKEN }),
    region,
    service: "s3",
    retries: 3,
  });
  return {
    bucket,
    prefix: rest.filter((each) => each !== "").join("/"),
    async get(key, query = {}) {
      // Some stores sign a bucket's address without a trailing slash.
      const url = new URL(`${base}/${bucket}${key === "" ? "" : `/${pathOf(key)}`}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const answer = await client.fetch(url.href, { redirect: "manual" }).catch(() => null);
      if (answer?.ok === true) return answer;
      await answer?.body?.cancel();
      const why = answer === null ? "it does not answer" : `status ${answer.status}`;
      throw new Error(`${scheme}${bucket}/${key} can't be read: ${why}`);
    },
  };
}

async function keysIn({ bucket, prefix, get }: Store): Promise<string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  const tokens = new Set<string>();
  for (let empty = 0, pages = 0; ; pages += 1) {
    const answer = await get("", {
      "list-type": "2",
      prefix: prefix === "" ? "" : `${prefix}/`,
      ...(token !== undefined && { "continuation-token": token }),
    });
    const xml = await answer.text();
    const listed = textsIn(xml, "Key");
    keys.push(...listed.filter((key) => key.endsWith(".ndjson")));
    empty = listed.length === 0 ? empty + 1 : 0;
    [token] = textsIn(xml, "IsTruncated").includes("true")
      ? textsIn(xml, "NextContinuationToken")
      : [];
    if (token === undefined) break;
    if (tokens.has(token) || empty >= maxPagesWithoutKey || pages >= maxPages)
      throw new Error(`${scheme}${bucket}/${prefix}: the store's list of objects does not end`);
    tokens.add(token);
  }
  if (keys.length > maxObjects)
    throw new Error(`${scheme}${bucket}/${prefix} has more than ${maxObjects} objects`);
  // Sorts by the chain's order.
  return keys.toSorted((left, right) => (left < right ? -1 : 1));
}

/** In order of their names. Throws an error for people. */
export async function storedObjects(
  path: string,
  env: Record<string, string | undefined>,
): Promise<StoredObject[]> {
  const store = storeAt(path, env);
  const keys = await keysIn(store);
  const folders = new Set(keys.map((key) => key.slice(0, key.lastIndexOf("/"))));
  if (folders.size > 1) {
    const [one = ""] = folders;
    throw new Error(
      `${path} has the chains of ${folders.size} tenants: name one, such as ${scheme}${store.bucket}/${one}`,
    );
  }
  return keys.map((key) => ({
    name: `${scheme}${store.bucket}/${key}`,
    async *open() {
      const { body } = await store.get(key);
      // Node's response streams are iterable, unlike their type.
      if (body !== null) yield* body as unknown as AsyncIterable<Uint8Array>;
    },
  }));
}
