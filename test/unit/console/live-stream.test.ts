/** A visible page follows the stream of records and misses no event. */
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  createLiveStream,
  type LiveEvent,
  type LiveStreamDeps,
} from "../../../src/console/live/live-stream.ts";

const settled = async () => {
  for (let turns = 0; turns < 8; turns += 1) await turn();
};
const news = (id: string): LiveEvent => ({ records: [], id });

/** A page, and the streams that it reads. */
function openPage() {
  const streams: { since: string; tell: (event: LiveEvent) => void; end: () => void }[] = [];
  const heard: (string | null)[] = [];
  const waits: number[] = [];
  let isLive = false;
  let hidden = new AbortController();
  let show = (): void => {};
  const read: LiveStreamDeps["read"] = ({ since, signal }, tell) =>
    new Promise((resolve) => {
      const end = () => {
        streams.splice(0);
        resolve(7);
      };
      streams.push({ since, tell, end });
      signal.addEventListener("abort", end);
      tell({ records: [], id: null });
    });
  const follow = createLiveStream({
    read,
    async seen() {
      if (hidden.signal.aborted) await new Promise<void>((resolve) => (show = resolve));
      return hidden.signal;
    },
    async wait(ms) {
      waits.push(ms);
      await turn();
    },
    now: () => 100,
  });
  const leave = follow("team", {
    hear: ({ id }) => heard.push(id),
    changed: (now) => (isLive = now),
  });
  return {
    streams,
    heard,
    waits,
    leave,
    isLive: () => isLive,
    hide: () => hidden.abort(),
    show() {
      hidden = new AbortController();
      show();
    },
  };
}

describe("the stream of a page", () => {
  it("begins at the list's time, and says that the page is live", async () => {
    const { streams, heard, isLive } = openPage();
    await settled();
    streams[0]?.tell(news("7"));
    expect([streams[0]?.since, heard, isLive()]).toEqual(["100", [null, "7"], true]);
  });

  it("ends while the page is hidden, and goes on from the last event after it", async () => {
    const { streams, waits, isLive, hide, show } = openPage();
    await settled();
    streams[0]?.tell(news("9"));
    hide();
    await settled();
    expect([streams.length, isLive()]).toEqual([0, false]);
    show();
    await settled();
    expect([streams.map(({ since }) => since), waits]).toEqual([["9"], []]);
  });

  it("is opened again after a break, from the last event on", async () => {
    const { streams, waits, isLive } = openPage();
    await settled();
    streams[0]?.tell(news("9"));
    streams[0]?.end();
    await settled();
    expect([streams[0]?.since, waits, isLive()]).toEqual(["9", [7], true]);
  });

  it("is not opened again after the page was left", async () => {
    const { streams, leave, isLive } = openPage();
    await settled();
    leave();
    await settled();
    expect([streams, isLive()]).toEqual([[], false]);
  });
});
