import { useEffect, useRef, useState } from "preact/hooks";
import { useLive } from "../live/use-live.ts";
import { useLoaded } from "../load.ts";
import { askedFor } from "../requests/filters.tsx";
import { mergedWith, idsIn, withLive } from "../requests/live-list.ts";
import { tenantHere } from "../place.ts";
import { listRequests, type RequestRecord } from "../requests/record.ts";

const pollMs = 4_000;
/** the API's default page */
const fewest = 50;

interface ListOptions {
  query: Readonly<Record<string, string>>;
  isLive: boolean;
}

export function useRequestList({ query, isLive }: ListOptions) {
  const wanted = askedFor(query);
  const loading = useLoaded(`requests ${JSON.stringify(wanted)}`, () => listRequests(wanted));
  const isNewest = !query["cursor"];
  const [liveRecords, setLiveRecords] = useState<ReadonlyMap<string, RequestRecord>>(new Map());
  useEffect(() => setLiveRecords(new Map()), [tenantHere()]);
  // Names stay available when filters change.
  const known = useRef<Record<string, string>>({});
  if (loading.loaded.state === "there") Object.assign(known.current, loading.loaded.value.names);
  const namesAsked = useRef(new Set<string>());
  const nameAll = (records: readonly RequestRecord[]): void => {
    const unknown = idsIn(records).filter(
      (id) => known.current[id] === undefined && !namesAsked.current.has(id),
    );
    for (const id of unknown) namesAsked.current.add(id);
    if (unknown.length > 0) void loading.again();
  };
  const isFollowing = useLive({
    isOn: isLive && isNewest,
    hear(records) {
      setLiveRecords((before) => mergedWith(before, records));
      if (loading.loaded.state === "there") nameAll(records);
    },
    reload: loading.again,
    pollMs,
  });
  const max = Number(query["limit"] || fewest);
  const rowsOf = (listed: { data: RequestRecord[]; nextCursor: string | null }) =>
    isNewest
      ? withLive(listed.data, liveRecords, { query: wanted, max, nextCursor: listed.nextCursor })
      : { rows: listed.data, nextCursor: listed.nextCursor };
  return { loading, rowsOf, names: known.current, isFollowing };
}
