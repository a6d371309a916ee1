/** The inspector of Node and of workerd, over loopback: one session for each isolate or thread of JavaScript. */
import type { Ending } from "../../src/start/ending.ts";

type Parameters = Record<string, unknown>;

export interface Session {
  title: string;
  send(method: string, parameters?: Parameters): Promise<unknown>;
  /** Hears every event of that name, from now on. */
  listen(event: string, hear: (parameters: Parameters) => void): void;
}

interface Message {
  id?: number;
  result?: unknown;
  error?: { message: string };
  method?: string;
  params?: Parameters;
}

/** ms after which Node's worker threads have begun, and those that exist have been told to attach. */
const attachedWithinMs = 300;

/** A session over anything that carries texts. */
function createSession(
  title: string,
  carry: (text: string) => void,
): { session: Session; receive: (text: string) => void } {
  const open = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (cause: Error) => void }
  >();
  const listeners = new Map<string, (parameters: Parameters) => void>();
  let last = 0;
  return {
    session: {
      title,
      send: (method, parameters = {}) =>
        new Promise((resolve, reject) => {
          const id = (last += 1);
          open.set(id, { resolve, reject });
          carry(JSON.stringify({ id, method, params: parameters }));
        }),
      listen: (event, hear) => void listeners.set(event, hear),
    },
    receive(text) {
      const { id, result, error, method, params = {} } = JSON.parse(text) as Message;
      if (method !== undefined) listeners.get(method)?.(params);
      if (id === undefined) return;
      const waiting = open.get(id);
      open.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(`${title}: ${error.message}`));
    },
  };
}

async function connect(title: string, url: string, ending: Ending): Promise<Session> {
  const socket = new WebSocket(url);
  ending.add(() => socket.close());
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error(`no inspector at ${url}`)));
  });
  const { session, receive } = createSession(title, (text) => socket.send(text));
  socket.addEventListener("message", ({ data }) => receive(String(data)));
  return session;
}

/** Threads of Node are reached through their process. workerd knows none of that and refuses. */
async function threadsOf(parent: Session): Promise<Session[]> {
  const threads = new Map<string, ReturnType<typeof createSession>>();
  parent.listen("NodeWorker.attachedToWorker", (event) => {
    const { sessionId, workerInfo } = event as {
      sessionId: string;
      workerInfo: { workerId: string };
    };
    const carry = (message: string): void => {
      // Only the thread's answer tells of a fault. That the thread took the message tells nothing.
      void parent.send("NodeWorker.sendMessageToWorker", { sessionId, message }).catch(() => {});
    };
    threads.set(sessionId, createSession(`thread ${workerInfo.workerId}`, carry));
  });
  parent.listen("NodeWorker.receivedMessageFromWorker", (event) => {
    const { sessionId, message } = event as { sessionId: string; message: string };
    threads.get(sessionId)?.receive(message);
  });
  const isNode = await parent.send("NodeWorker.enable", { waitForDebuggerOnStart: false }).then(
    () => true,
    () => false,
  );
  if (isNode) await new Promise((resolve) => setTimeout(resolve, attachedWithinMs));
  return [...threads.values()].map(({ session }) => session);
}

/** Everything that runs JavaScript behind the inspector on that port. */
export async function openSessions(port: number, ending: Ending): Promise<Session[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
  const targets = (await answer.json()) as {
    id: string;
    title: string;
    webSocketDebuggerUrl: string;
  }[];
  const sessions: Session[] = [];
  for (const { title, webSocketDebuggerUrl } of targets) {
    const session = await connect(title, webSocketDebuggerUrl, ending);
    sessions.push(session, ...(await threadsOf(session)));
  }
  return sessions;
}
