import { useEffect, useRef, useState } from "preact/hooks";
import { useLive } from "../live/use-live.ts";
import { useRead } from "../load.ts";
import { tenantHere } from "../place.ts";
import { askedFor, mergedWith, withLive } from "../requests/live-list.ts";
import type { RequestRecord } from "../requests/record.ts";

export const pageSize = "100";

interface ListOptions {
  query: Readonly<Record<string, string>>;
  /** only the newest page can be */
  isLive: boolean;
}

export function useRequestList({ query, isLive }: ListOptions) {
  const wanted = { limit: pageSize, ...askedFor(query) };
  const loading = useRead("/admin/v1/tenants/{tenant}/requests", wanted as object);
  const { loaded, again } = loading;
  const [liveRecords, setLiveRecords] = useState<ReadonlyMap<string, RequestRecord>>(new Map());
  useEffect(() => setLiveRecords(new Map()), [tenantHere()]);
  // Names stay available when filters change.
  const names = useRef<Record<string, string>>({});
  if (loaded.state === "there") Object.assign(names.current, loaded.value.names);
  const isFollowing = useLive({
    isOn: isLive,
    hear(records) {
      setLiveRecords((before) => mergedWith(before, records));
      if (loaded.state !== "there") return;
      const unknown = records
        .flatMap(({ who }) => [who.keyId, who.serverId, who.user])
        .filter((id): id is string => typeof id === "string" && !(id in names.current));
      // Asked for once.
      for (const id of unknown) names.current[id] = id;
      if (unknown.length > 0) void again();
    },
    reload: again,
  });
  const rowsOf = (listed: { data: RequestRecord[]; nextCursor: string | null }) =>
    query["cursor"]
      ? { rows: listed.data, nextCursor: listed.nextCursor }
      : withLive(listed.data, liveRecords, {
          query: wanted,
          max: Number(wanted.limit),
          nextCursor: listed.nextCursor,
        });
  return { loading, rowsOf, names: names.current, isFollowing };
}
