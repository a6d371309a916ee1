/** The HTTP server, with a shutdown that lets calls finish. */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { getRequestListener } from "@hono/node-server";
import { isPlain, responseOf, type ClientAnswer } from "../domain/ports/client-answer.ts";
import type { ClientMessage } from "../domain/ports/client-message.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { directMessage, writePlain } from "./direct/messages.ts";
import { clientAddress, forwardedUrl, type IsTrusted } from "./forwarded.ts";
import type { OpenWork } from "./open-work.ts";

export interface NodeServer {
  listen(at: { host: string; port: number }): Promise<Result<null, string>>;
  /** Stops accepting and waits up to `ms`. `true` if all calls ended. */
  drain(ms: number): Promise<boolean>;
}

export interface RequestHooks {
  requestIs: (id: string) => void;
  address: () => string;
}

export interface NodeServerDeps {
  answer: (request: Request, about: RequestHooks) => Promise<Response>;
  /** For sampling calls, proxied messages, and calls of models; `null` falls back to `answer`. `url` is unmodified. */
  answerDirectly: (
    message: { request: ClientMessage; url: string; path: string },
    about: Pick<RequestHooks, "requestIs">,
  ) => Promise<ClientAnswer> | null;
  isTrusted: IsTrusted;
  open: OpenWork;
  /** Name of an unexpected exception, never its message. */
  report: (fault: string) => void;
}

/** The adapter's default. */
const adaptersMediaType = "text/plain; charset=UTF-8";

/** As on Workers, and easier to grep. */
function inLowerCase(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const written: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) written[name.toLowerCase()] = value;
  return written;
}

/**
 * Lower-cases names and removes the adapter's media type from proxied answers without one. Reads headers late,
 * which would otherwise allocate an object.
 */
function repairHead(outgoing: ServerResponse, response: Response): void {
  const writeHead = outgoing.writeHead.bind(outgoing) as (
    status: number,
    headers?: OutgoingHttpHeaders,
  ) => ServerResponse;
  outgoing.writeHead = ((status: number, headers?: OutgoingHttpHeaders) => {
    if (headers === undefined) return writeHead(status);
    const isAdapters = headers["content-type"] === adaptersMediaType;
    const written = inLowerCase(headers);
    if (isAdapters && !response.headers.has("Content-Type")) delete written["content-type"];
    return writeHead(status, written);
  }) as ServerResponse["writeHead"];
}

/** Delays the head of a stream to the end of the turn, so that it shares a system call with the first piece. */
function sendHeadWithFirstPiece(outgoing: ServerResponse): void {
  const flush = outgoing.flushHeaders.bind(outgoing);
  outgoing.flushHeaders = () => {
    const { socket } = outgoing;
    socket?.cork();
    flush();
    // Repeated uncorking is harmless.
    setImmediate(() => socket?.uncork());
  };
}

/** Node takes the first; a gateway may have judged another (RFC 9112, section 3.2). */
const hasTwoHosts = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length > 1;

const mayBeDirect = /^\/(?:mcp\/|v1\/(?:sampling|chat\/completions|messages|responses)$)/;
/** Longer than proxies keep connections. */
const keepAliveMs = 75_000;
/** Bytes that wait for a slow client before no more is read from its provider. Node's default is 64 KiB. */
const highWaterMark = 2 * 1024;
/** Keys, tokens, and proxies' own headers. */
const maxHeaderBytes = 64 * 1024;

const problemOf = (cause: NodeJS.ErrnoException): string =>
  cause.code === "EADDRINUSE" ? "is in use" : `can't be bound: ${cause.code ?? cause.name}`;

const pathOf = (url: string | undefined): string => (url ?? "").split("?")[0] ?? "";

export function createNodeServer(deps: NodeServerDeps): NodeServer {
  const { answer, answerDirectly, isTrusted, open, report } = deps;
  const requestIds = new WeakMap<IncomingMessage, (id: string) => void>();
  /** finished answers that the adapter writes */
  const answers = new WeakMap<IncomingMessage, Response>();
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const caller = incoming as IncomingMessage;
      const response =
        answers.get(caller) ??
        (await answer(request, {
          requestIs: requestIds.get(caller) ?? (() => {}),
          address: () => clientAddress(caller, isTrusted),
        }));
      repairHead(outgoing as ServerResponse, response);
      return response;
    },
    {
      // HTTP/1.0 may omit the host.
      hostname: "host.invalid",
      errorHandler(cause) {
        // Invalid requests are not the router's fault.
        if (cause instanceof Error && cause.name === "RequestError")
          return new Response("The request's address or Host is invalid.\n", { status: 400 });
        report(cause instanceof Error ? cause.name : typeof cause);
        return new Response(null, { status: 400 });
      },
    },
  );
  const adapt = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    sendHeadWithFirstPiece(outgoing);
    void listener(incoming, outgoing);
  };
  const direct = (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    requestIs: (id: string) => void,
  ): Promise<void> | null => {
    const path = incoming.url ?? "";
    if (!mayBeDirect.test(path)) return null;
    const request = directMessage(incoming, outgoing);
    if (request === null) return null;
    const url = `http://${request.headers.get("host")}${path}`;
    return (
      answerDirectly({ request, url, path }, { requestIs })?.then((made) => {
        if (isPlain(made)) return writePlain(outgoing, made);
        answers.set(incoming, responseOf(made));
        return adapt(incoming, outgoing);
      }) ?? null
    );
  };
  let draining = false;
  const running = new Set<ServerResponse>();
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const request = open.begin({ method: incoming.method ?? "", path: pathOf(incoming.url) });
    requestIds.set(incoming, request.is);
    if (hasTwoHosts(incoming))
      return void outgoing.writeHead(400).end("A request must have one Host.\n");
    // Clients must not reuse the connection.
    if (draining) outgoing.shouldKeepAlive = false;
    running.add(outgoing);
    outgoing.once("close", () => {
      running.delete(outgoing);
      request.ends();
      if (draining) setImmediate(() => server.closeIdleConnections());
    });
    const url = forwardedUrl(incoming, isTrusted);
    // The adapter accepts an absolute URL.
    if (url !== null) incoming.url = url;
    const directly = direct(incoming, outgoing, request.is);
    if (directly === null) adapt(incoming, outgoing);
    else
      directly.catch((cause: unknown) => {
        report(cause instanceof Error ? cause.name : typeof cause);
        outgoing.destroy();
      });
  };
  const server: Server = createServer(
    { keepAliveTimeout: keepAliveMs, maxHeaderSize: maxHeaderBytes, highWaterMark },
    serve,
  );
  return {
    listen: ({ host, port }) =>
      new Promise((resolve) => {
        server.once("error", (cause) => resolve(err(problemOf(cause))));
        server.listen(port, host, () => resolve(ok(null)));
      }),
    async drain(ms) {
      draining = true;
      for (const outgoing of running) outgoing.shouldKeepAlive = false;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<false>((resolve) => {
        timer = setTimeout(() => resolve(false), ms);
      });
      const ended = await Promise.race([open.callsEnded().then(() => true), late]);
      clearTimeout(timer);
      // Ends GET streams, and calls left to their leases.
      server.closeAllConnections();
      await closed;
      return ended;
    },
  };
}
