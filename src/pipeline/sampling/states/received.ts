/** Received: content digested, id assigned, observed. */
import type { Ids } from "../../../domain/tenancy/ids.ts";
import { unscheduled } from "../../../domain/sampling/call-slot.ts";
import type { Observe } from "../request/observe.ts";
import type { DigestContent } from "../request/request-content.ts";
import { openingOf, type UnreadRequest } from "../request/sampling-request.ts";
import type { Arrived, Received } from "./states.ts";

export const receivedAs = ({
  request,
  opening,
  observed,
  slot,
}: Omit<Arrived, "replayKey">): Received => ({
  state: "received",
  request,
  opening,
  observed,
  slot,
  replayKey: request.replayKey,
  caller: request.caller,
  ifReserved: "waits",
  waitedMs: 0,
});

export const createReceive =
  ({ digestContent, ids, observe }: { digestContent: DigestContent; ids: Ids; observe: Observe }) =>
  async (unread: UnreadRequest): Promise<Received> => {
    const content = await digestContent(unread.content);
    const request = { ...unread, content, bytes: unread.bytes ?? content.bytes };
    const opening = openingOf(request, ids.next("request"));
    const observed = observe({ opening, authMs: request.authMs }, request.propagated);
    return receivedAs({ request, opening, observed, slot: unscheduled });
  };
