/** The listening side of this host: HTTP in, the app's answers out, and an end that cuts no call. */
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
import { directMessage, writePlain } from "./direct-messages.ts";
import { clientAddress, forwardedUrl, type IsTrusted } from "./forwarded.ts";
import type { OpenWork } from "./open-work.ts";

export interface NodeServer {
  listen(at: { host: string; port: number }): Promise<Result<null, string>>;
  /** Accepts nothing new, and waits for calls until `ms` have passed. True: every call has ended. */
  drain(ms: number): Promise<boolean>;
}

/** What the server and whoever answers tell each other of one request. */
export interface RequestHooks {
  /** called with the id under which the request is recorded */
  requestIs: (id: string) => void;
  /** the address that calls */
  address: () => string;
}

export interface NodeServerDeps {
  answer: (request: Request, about: RequestHooks) => Promise<Response>;
  /** The same for a sampling call or a proxied message; null: `answer` has to. `url` is the message's own. */
  answerDirectly: (
    message: { request: ClientMessage; url: string; path: string },
    about: Pick<RequestHooks, "requestIs">,
  ) => Promise<ClientAnswer> | null;
  isTrusted: IsTrusted;
  open: OpenWork;
  /** Hears what nobody expected: the name of what was thrown, never its message. */
  report: (fault: string) => void;
}

/** What the adapter says of an answer that has no media type. */
const adaptersMediaType = "text/plain; charset=UTF-8";

/** As the Workers runtime writes names, and whoever looks for them with `grep`. */
function inLowerCase(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const written: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) written[name.toLowerCase()] = value;
  return written;
}

/**
 * Writes names of headers in lower case, and takes the media type away that the adapter adds: a proxied answer came
 * without one on purpose. The answer's own headers are looked at only then. Reading them makes an object of what is
 * a record as long as nobody asks.
 */
function mendHead(outgoing: ServerResponse, response: Response): void {
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

/**
 * The adapter sends the head of a stream by itself. The first piece is often there by then, and each write to a
 * connection is a call of the system, so the head waits for the end of this turn of the loop.
 */
function sendHeadWithFirstPiece(outgoing: ServerResponse): void {
  const flush = outgoing.flushHeaders.bind(outgoing);
  outgoing.flushHeaders = () => {
    const { socket } = outgoing;
    socket?.cork();
    flush();
    // The end of an answer opens its connection at once. To open it again does nothing.
    setImmediate(() => socket?.uncork());
  };
}

/** Node takes the first of several; a gateway may have judged another. Source: RFC 9112, section 3.2. */
const hasTwoHosts = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length > 1;

/** A sampling call, and what is proxied. */
const mayBeDirect = /^\/(?:mcp\/|v1\/sampling$)/;
/** Longer than what proxies keep their connections for, so that none is closed under a request. */
const keepAliveMs = 75_000;
/** Keys, tokens and what a client's own proxies add. */
const maxHeaderBytes = 64 * 1024;

const problemOf = (cause: NodeJS.ErrnoException): string =>
  cause.code === "EADDRINUSE" ? "is in use" : `can't be bound: ${cause.code ?? cause.name}`;

const pathOf = (url: string | undefined): string => (url ?? "").split("?")[0] ?? "";

export function createNodeServer(deps: NodeServerDeps): NodeServer {
  const { answer, answerDirectly, isTrusted, open, report } = deps;
  const requestIds = new WeakMap<IncomingMessage, (id: string) => void>();
  /** answers that are there, and that the adapter writes */
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
      mendHead(outgoing as ServerResponse, response);
      return response;
    },
    {
      // HTTP/1.0 may leave the host out, as simple health checks do. No name of the router ends so: nothing is believed.
      hostname: "host.invalid",
      errorHandler(cause) {
        // What anybody can send is no fault of the router.
        if (cause instanceof Error && cause.name === "RequestError")
          return new Response("The request's address or Host can't be read.\n", { status: 400 });
        report(cause instanceof Error ? cause.name : typeof cause);
        return new Response(null, { status: 400 });
      },
    },
  );
  const adapt = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    sendHeadWithFirstPiece(outgoing);
    void listener(incoming, outgoing);
  };
  /** null: the message is for the adapter from its beginning. */
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
  /** answers that are not over */
  const running = new Set<ServerResponse>();
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const request = open.begin({ method: incoming.method ?? "", path: pathOf(incoming.url) });
    requestIds.set(incoming, request.is);
    if (hasTwoHosts(incoming)) return void outgoing.writeHead(400).end("A request has one Host.\n");
    // Whoever keeps the connection would send the next request to a router that has gone.
    if (draining) outgoing.shouldKeepAlive = false;
    running.add(outgoing);
    outgoing.once("close", () => {
      running.delete(outgoing);
      request.ends();
      if (draining) setImmediate(() => server.closeIdleConnections());
    });
    const url = forwardedUrl(incoming, isTrusted);
    // The adapter believes a whole URL in the request line.
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
    { keepAliveTimeout: keepAliveMs, maxHeaderSize: maxHeaderBytes },
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
      // What stands now is streams that would never end, and calls that are left to their leases.
      server.closeAllConnections();
      await closed;
      return ended;
    },
  };
}
