/**
 * One loop per tenant polls the database each second. Invocations can't share a loop, so on Workers the
 * tenant's object does this.
 */
import type { SamplingRecord } from "../domain/audit/record.ts";
import type {
  FeedItem,
  FeedListener,
  FeedState,
  RequestFeeds,
  RequestFeedStore,
} from "../domain/ports/request-feed.ts";
import { err, ok } from "../domain/result.ts";

interface Listening {
  items: FeedItem[];
  wake: () => void;
  readAt: number | null;
}

interface Feed {
  tenantId: string;
  listeners: Set<Listening>;
  stopped: AbortController;
  state: FeedState | null;
}

const pauseMs = 1_000;
const maxWaiting = 1_000;
const maxListeners = { tenant: 64, all: 1_000 };
/** ms after which an inactive listener is dropped: not every abandoned body is canceled. */
const patienceMs = 60_000;
/** ms of clock difference between processes. */
const slackMs = 5_000;

const itemOf = (record: SamplingRecord, at: number): FeedItem => ({
  kind: record.outcome === "admitted" ? "started" : "ended",
  at,
  record,
});

interface FeedDeps {
  requestFeed: RequestFeedStore;
  now: () => number;
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

function give(listener: Listening, items: readonly FeedItem[], at: number): void {
  if (items.length === 0) return;
  listener.items.push(...items);
  if (listener.items.length > maxWaiting) listener.items = [{ kind: "reset", at }];
  listener.wake();
}

async function look({ requestFeed, now }: FeedDeps, feed: Feed): Promise<void> {
  const { tenantId } = feed;
  const at = now();
  if (feed.state === null) {
    const found = await requestFeed.state(tenantId);
    if (found.ok) feed.state = found.value;
    return;
  }
  const found = await requestFeed.changes(tenantId, feed.state);
  // Retries while the database is unreachable.
  if (!found.ok) return;
  const { records, last, isTooMuch } = found.value;
  const open = new Set(feed.state.open);
  for (const { id, outcome } of records)
    if (outcome === "admitted") open.add(id);
    else open.delete(id);
  feed.state = isTooMuch ? null : { open: [...open], last };
  const items: FeedItem[] = isTooMuch
    ? [{ kind: "reset", at }]
    : records.map((record) => itemOf(record, at));
  for (const listener of feed.listeners) give(listener, items, at);
}

export function createRequestFeeds(deps: FeedDeps): RequestFeeds {
  const { requestFeed, now, wait } = deps;
  const feeds = new Map<string, Feed>();

  const drop = (feed: Feed, listener: Listening): void => {
    feed.listeners.delete(listener);
    listener.items = [];
    listener.wake();
    if (feed.listeners.size > 0) return;
    feed.stopped.abort();
    if (feeds.get(feed.tenantId) === feed) feeds.delete(feed.tenantId);
  };
  const follow = async (feed: Feed): Promise<void> => {
    while (!feed.stopped.signal.aborted) {
      for (const listener of feed.listeners)
        if (listener.readAt !== null && now() - listener.readAt > patienceMs) drop(feed, listener);
      await look(deps, feed);
      await wait(pauseMs, feed.stopped.signal);
    }
  };
  const feedOf = (tenantId: string): Feed => {
    const known = feeds.get(tenantId);
    if (known !== undefined) return known;
    const feed: Feed = {
      tenantId,
      listeners: new Set(),
      stopped: new AbortController(),
      state: null,
    };
    feeds.set(tenantId, feed);
    void follow(feed);
    return feed;
  };
  const isFull = (tenantId: string): boolean => {
    const all = [...feeds.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);
    const here = feeds.get(tenantId)?.listeners.size ?? 0;
    return all >= maxListeners.all || here >= maxListeners.tenant;
  };
  /** Missed records first; later ones may repeat. */
  const catchUp = async (tenantId: string, listener: Listening, since: number): Promise<void> => {
    const at = now();
    const missed = await requestFeed.since(tenantId, since - slackMs);
    const items: FeedItem[] =
      missed.ok && missed.value !== null
        ? missed.value.map((record) => itemOf(record, at))
        : [{ kind: "reset", at }];
    listener.items.unshift(...items);
    listener.wake();
  };

  return {
    async listen(tenantId, since) {
      if (isFull(tenantId))
        return err({ reason: "rate_limited", limit: "requests.listeners", retryAfterMs: 10_000 });
      const feed = feedOf(tenantId);
      const listener: Listening = { items: [], wake: () => {}, readAt: now() };
      feed.listeners.add(listener);
      const caughtUp = since === null ? null : catchUp(tenantId, listener, since);
      return ok<FeedListener>({
        async next(withinMs) {
          listener.readAt = null;
          await caughtUp;
          if (listener.items.length === 0 && feed.listeners.has(listener)) {
            const woken = new AbortController();
            listener.wake = () => woken.abort();
            await wait(withinMs, woken.signal);
          }
          listener.readAt = now();
          if (!feed.listeners.has(listener)) return "gone";
          return listener.items.shift() ?? null;
        },
        leave: () => drop(feed, listener),
      });
    },
  };
}
