/** An OpenTelemetry collector on loopback: takes OTLP/HTTP in JSON, and is strict about its shape. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

/** As `opentelemetry-proto` has it, in the JSON encoding of OTLP: ids in hex, 64-bit integers as text. */
const nanoseconds = z.string().regex(/^[1-9][0-9]{18}$/);
const count = z.literal(0);
const scalar = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.union([z.int(), z.string().regex(/^-?[0-9]+$/)]) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const value = z.union([
  scalar,
  z.strictObject({ arrayValue: z.strictObject({ values: z.array(scalar) }) }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }));
const id = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${digits}}$`))
    .refine((text) => !/^0+$/.test(text));
const spanShape = z.strictObject({
  traceId: id(32),
  spanId: id(16),
  parentSpanId: id(16).optional(),
  traceState: z.string().optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  droppedAttributesCount: count,
  events: z.array(z.never()),
  droppedEventsCount: count,
  links: z.array(z.never()),
  droppedLinksCount: count,
  status: z.strictObject({ code: z.int().min(0).max(2) }),
  flags: z.int(),
});
const requestShape = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes, droppedAttributesCount: count }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string().optional() }),
          spans: z.array(spanShape).min(1),
        }),
      ),
    }),
  ),
});

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  traceState: string | null;
  name: string;
  /** 2: server, 3: client */
  kind: number;
  /** 0: unset, 2: error */
  status: number;
  startedAt: bigint;
  endedAt: bigint;
  service: unknown;
  attributes: Record<string, unknown>;
}

export type CollectorMode = "fine" | "broken" | "silent" | "redirects" | "rejects";

export interface Collector {
  /** for `OTEL_EXPORTER_OTLP_ENDPOINT` */
  url: string;
  setMode(mode: CollectorMode): void;
  /** one for each export, oldest first */
  exports(): { path: string; headers: Record<string, unknown>; body: string }[];
  /** of all exports; throws for one that has another shape */
  spans(): CollectedSpan[];
  clear(): void;
  stop(): Promise<void>;
}

const plain = (wire: z.infer<typeof value>): unknown => {
  if ("arrayValue" in wire) return wire.arrayValue.values.map(plain);
  if ("intValue" in wire) return Number(wire.intValue);
  return Object.values(wire)[0];
};
const plainAll = (wire: z.infer<typeof attributes>): Record<string, unknown> =>
  Object.fromEntries(wire.map((attribute) => [attribute.key, plain(attribute.value)]));

export function spansIn(body: string): CollectedSpan[] {
  return requestShape.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? null,
        traceState: span.traceState ?? null,
        name: span.name,
        kind: span.kind,
        status: span.status.code,
        startedAt: BigInt(span.startTimeUnixNano),
        endedAt: BigInt(span.endTimeUnixNano),
        service: plainAll(resource.attributes)["service.name"],
        attributes: plainAll(span.attributes),
      })),
    ),
  );
}

/** Starts it on a random port of 127.0.0.1, in mode `fine`. `silent` never answers. */
export async function startCollector(): Promise<Collector> {
  let mode: CollectorMode = "fine";
  let seen: ReturnType<Collector["exports"]> = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      seen.push({ path: request.url ?? "", headers: request.headers, body });
      switch (mode) {
        case "silent":
          return;
        case "broken":
          return response.writeHead(500).end(`Could not store ${body}`);
        case "redirects":
          return response.writeHead(307, { location: "/elsewhere" }).end();
        case "rejects": {
          const text = JSON.stringify({
            partialSuccess: { rejectedSpans: "2", errorMessage: body.slice(0, 500) },
          });
          return response.writeHead(200, { "content-type": "application/json" }).end(text);
        }
        case "fine":
          return response.writeHead(200, { "content-type": "application/json" }).end("{}");
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setMode: (next) => (mode = next),
    exports: () => [...seen],
    spans: () => seen.flatMap(({ body }) => spansIn(body)),
    clear: () => (seen = []),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
