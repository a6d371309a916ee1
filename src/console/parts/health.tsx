import { fromNow, time } from "../format.ts";
import { Badge } from "./page.tsx";
import { lastUse } from "./spend.tsx";

const tones = new Map(Object.entries({ works: "good", "not checked": "", disabled: "warn" }));
/** Usage is known by the hour. */
export const recentUse = (at = 0): number | undefined =>
  Date.now() - at < 7_200_000 ? at : undefined;

type Seen = { check: { at: number; ok: boolean } | null | undefined; usedAt: number | undefined };

/** Errors count more than use. */
export function healthOf({ check, usedAt }: Seen): string {
  if (check?.ok === false) return "check failed";
  return check?.ok === true || usedAt !== undefined ? "works" : "not checked";
}

/** What a check or a call found, when, and what is wrong. */
export const Health = (props: Seen & { state: string; fault: string | null }) => {
  const { state, check, usedAt, fault } = props;
  const isUsed = state === "works" && usedAt !== undefined;
  return (
    <>
      <Badge word={state} tone={tones.get(state) ?? "bad"} />{" "}
      {(isUsed || check) && (
        <small class="nowrap" title={check ? `Checked ${time(check.at)}` : ""}>
          {isUsed ? `used ${lastUse(usedAt)}` : check && `checked ${fromNow(check.at)}`}
        </small>
      )}
      {fault !== null && <div class="note">{fault}</div>}
    </>
  );
};
