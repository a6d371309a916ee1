import { signal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { useEffect, useRef } from "preact/hooks";
import { useRead, useRepeated } from "../load.ts";
import { ownPath, tenantHere } from "../place.ts";
import { kinds, stopsOf, type Stop } from "../switches.ts";

const refreshMs = 10_000;
const maxShown = 3;
export const tenantNames = signal<Readonly<Record<string, string>>>({});
export const switchChanges = signal(0);
/** of the shown tenant */
export const stopsNow = signal<readonly Stop[]>([]);

export function Stopped() {
  const tenant = tenantHere();
  const { loaded, again } = useRead("/admin/v1/tenants/{tenant}");
  useRepeated(refreshMs, again);
  // Also checks on navigation, to detect an ended session.
  const { path } = useLocation();
  const seenPath = useRef(path);
  useEffect(() => {
    if (seenPath.current !== path) void again();
    seenPath.current = path;
  }, [path]);
  const seen = useRef(switchChanges.value);
  useEffect(() => {
    if (seen.current !== switchChanges.value) void again();
    seen.current = switchChanges.value;
  }, [switchChanges.value]);
  const known = loaded.state === "there" ? loaded.value.name : null;
  useEffect(() => {
    if (known !== null) tenantNames.value = { ...tenantNames.value, [tenant]: known };
  }, [tenant, known]);
  const stops = loaded.state === "there" ? stopsOf(loaded.value) : [];
  useEffect(() => {
    stopsNow.value = stops;
  }, [loaded]);
  if (stops.length === 0) return null;
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
