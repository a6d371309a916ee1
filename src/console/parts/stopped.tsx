import { computed, signal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { useEffect, useRef } from "preact/hooks";
import type { Schemas } from "../api.ts";
import { useRead, useRepeated } from "../load.ts";
import { ownPath } from "../place.ts";
import { kinds, stopsOf, type Stop } from "../switches.ts";

const refreshMs = 10_000;
const maxShown = 3;
/** the shown tenant, once it is read */
export const tenantNow = signal<Schemas["Tenant"] | null>(null);
export const isMissing = signal(false);
/** To read it again, for example after a switch was turned. */
export const tenantChanges = signal(0);
export const stopsNow = computed<readonly Stop[]>(() =>
  tenantNow.value === null ? [] : stopsOf(tenantNow.value),
);

export function Stopped() {
  const { loaded, again } = useRead("/admin/v1/tenants/{tenant}");
  useRepeated(refreshMs, again);
  // Also reads on navigation, to detect an ended session.
  const { path } = useLocation();
  const moment = `${path} ${tenantChanges.value}`;
  const seen = useRef(moment);
  useEffect(() => {
    if (seen.current !== moment) void again();
    seen.current = moment;
  }, [moment]);
  useEffect(() => {
    tenantNow.value = loaded.state === "there" ? loaded.value : null;
    isMissing.value = loaded.state === "failed" && loaded.problem.reason === "not_found";
  }, [loaded]);
  const stops = loaded.state === "there" ? stopsOf(loaded.value) : [];
  if (stops.length === 0 || path.endsWith("/switches")) return null;
  const others = stops.length - maxShown;
  return (
    <aside class="notice bad stopped" aria-label="Kill switches that are on">
      <strong>
        {stops.length === 1 ? "A kill switch is on." : `${stops.length} kill switches are on.`}
      </strong>
      <ul class="plain">
        {stops.slice(0, maxShown).map(({ kind, name, why }) => (
          <li key={`${kind} ${name}`}>
            Stopped: {kinds[kind]} {name !== "" && <code>{name}</code>}. {why}
          </li>
        ))}
        {others > 0 && <li>And {others === 1 ? "one more" : `${others} more`}.</li>}
      </ul>
      <a href={ownPath("/switches")}>See the switches</a>
    </aside>
  );
}
