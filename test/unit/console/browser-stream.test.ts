/** All pages of a browser share one stream per tenant and miss no event. */
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  createBrowserStream,
  type BrowserStreamDeps,
  type LiveEvent,
} from "../../../src/console/live/browser-stream.ts";

type Channel = BrowserStreamDeps["channel"];
type Message = Parameters<Channel["post"]>[0];

/** A browser: one lock and one channel for all of its pages, and streams that the test speaks on. */
function createBrowser() {
  const ears = new Map<object, (message: Message) => void>();
  const queue: (() => void)[] = [];
  let isHeld = false;
  const open: {
    tenant: string;
    since: string;
    tell: (event: LiveEvent) => void;
    end: () => void;
  }[] = [];
  const withLock: BrowserStreamDeps["withLock"] = async (signal, act) => {
    signal.throwIfAborted();
    if (isHeld)
      await new Promise<void>((resolve, reject) => {
        queue.push(resolve);
        signal.addEventListener("abort", () => {
          queue.splice(queue.indexOf(resolve), 1);
          reject(new Error("called off"));
        });
      });
    isHeld = true;
    await act();
    isHeld = queue.length > 0;
    queue.shift()?.();
  };
  const read: BrowserStreamDeps["read"] = ({ tenant, since, signal }, tell) =>
    new Promise((resolve) => {
      const stream = {
        tenant,
        since,
        tell,
        end() {
          open.splice(open.indexOf(stream), 1);
          resolve(0);
        },
      };
      open.push(stream);
      signal.addEventListener("abort", stream.end);
      tell({ kind: "records", records: [], id: null });
    });
  const openPage = (tenant: string) => {
    const page = {};
    const heard: string[] = [];
    let isLive = false;
    let hidden = new AbortController();
    let show = (): void => {};
    const follow = createBrowserStream({
      withLock,
      read,
      channel: {
        post: (message) => {
          for (const [other, ear] of ears) if (other !== page) ear(message);
        },
        listen(ear) {
          ears.set(page, ear);
          return () => void ears.delete(page);
        },
      },
      async seen() {
        if (hidden.signal.aborted) await new Promise<void>((resolve) => (show = resolve));
        return hidden.signal;
      },
      wait: async () => turn(),
      now: () => 100,
    });
    const leave = follow(tenant, {
      hear: (event) => heard.push(event.id ?? "-"),
      changed: (now) => (isLive = now),
    });
    return {
      heard,
      leave,
      isLive: () => isLive,
      hide: () => hidden.abort(),
      show() {
        hidden = new AbortController();
        show();
      },
    };
  };
  return { open, openPage };
}

const settled = async () => {
  for (let turns = 0; turns < 8; turns += 1) await turn();
};
const news = (id: string): LiveEvent => ({ kind: "records", records: [], id });

describe("the stream of a browser", () => {
  it("is one stream, whose news reach every page of the stream's tenant", async () => {
    const { open, openPage } = createBrowser();
    const [one, other] = [openPage("team"), openPage("team")];
    await settled();
    expect(open).toHaveLength(1);
    open[0]?.tell(news("7"));
    expect([one.isLive(), other.isLive()]).toEqual([true, true]);
    expect([one.heard, other.heard]).toEqual([["-", "7"], expect.arrayContaining(["7"])]);
  });

  it("serves no page of another tenant, which goes on by asking", async () => {
    const { open, openPage } = createBrowser();
    openPage("team");
    const other = openPage("others");
    await settled();
    open[0]?.tell(news("7"));
    expect([open.length, other.isLive(), other.heard]).toEqual([1, false, []]);
  });

  it("passes to the next page when its reading page is left, and misses no event", async () => {
    const { open, openPage } = createBrowser();
    const [one, other] = [openPage("team"), openPage("team")];
    await settled();
    open[0]?.tell(news("7"));
    one.leave();
    await settled();
    expect(open.map(({ since }) => since)).toEqual(["7"]);
    expect(other.isLive()).toBe(true);
  });

  it("ends while its only page is hidden, and goes on from the last event after it", async () => {
    const { open, openPage } = createBrowser();
    const page = openPage("team");
    await settled();
    expect(open[0]?.since).toBe("100");
    open[0]?.tell(news("9"));
    page.hide();
    await settled();
    expect([open.length, page.isLive()]).toEqual([0, false]);
    page.show();
    await settled();
    expect(open.map(({ since }) => since)).toEqual(["9"]);
  });

  it("is opened again after a break, from the last event on", async () => {
    const { open, openPage } = createBrowser();
    const page = openPage("team");
    await settled();
    open[0]?.tell(news("9"));
    open[0]?.end();
    await settled();
    expect([open[0]?.since, page.isLive()]).toEqual(["9", true]);
  });
});
