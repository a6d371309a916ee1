import { useState } from "preact/hooks";
import { roomLevel } from "../../domain/limits/room.ts";
import type { Schemas } from "../api.ts";
import { useRead } from "../load.ts";
import { LimitForm, newLimit, ownerOf, type LimitDraft } from "../limits/limit-form.tsx";
import { limitTitle, limitTitles, ownerTitle } from "../limit-titles.ts";
import type { LimitState } from "../overview-figures.ts";
import { Button } from "../parts/card.tsx";
import { keyOfLimit, limitColumns } from "../parts/limit-columns.tsx";
import type { Names } from "../parts/named.tsx";
import { There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Steps, usePaging, useQuery } from "../parts/pages.tsx";
import { RowActions } from "../parts/row-actions.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { ownPath } from "../place.ts";
import { mayChange } from "../session.ts";

/** The API lists people, groups, and tags only from their first call. */
const limitsOfEach = ({ perUser, groups, tags }: Schemas["Policy"]): LimitState[] =>
  Object.entries({ user: perUser, group: groups?.each, tag: tags?.each }).flatMap(
    ([scope, limits = {}]) =>
      Object.entries(limits).map(([name, limit]) => ({
        name: `${scope}.${name}`,
        subject: "",
        unit: name.startsWith("usd") ? "usd" : "requests",
        limit,
        used: 0,
        reserved: 0,
        left: limit,
        resetsAt: null,
      })),
  );

const isTight = ({ unit, used, limit }: LimitState): boolean =>
  unit === "bytes" && ["tight", "full"].includes(roomLevel({ usedBytes: used, limitBytes: limit }));

interface ActionsOf {
  policy: Schemas["Policy"];
  names: Names;
  change: (draft: LimitDraft) => void;
}

const actionColumn = ({ policy, names, change }: ActionsOf): Column<LimitState> => ({
  title: "",
  show(state) {
    const [, limit = ""] = state.name.split(".");
    const owner = ownerOf(state, policy);
    // The shown limit is the raised one.
    if (owner === null || !(limit in limitTitles) || state.raisedUntil !== undefined)
      return <a href={ownPath("/policy")}>Policy</a>;
    const title = `${limitTitle(state.name)}, ${ownerTitle(state, names)}`;
    const act = () => change({ title, owner, limit, amount: String(state.limit) });
    return <RowActions of={title} verbs={["Change"]} act={act} />;
  },
});

/** Limits of each person, group or tag follow the tenant's. */
function rowsOf(listed: readonly LimitState[], each: readonly LimitState[]): LimitState[] {
  const isOwn = ({ name }: LimitState): boolean => /^(?:tenant|ceiling)\./.test(name);
  return [...listed.filter(isOwn), ...each, ...listed.filter((state) => !isOwn(state))];
}

export function Limits() {
  const [query] = useQuery();
  const paging = usePaging("/admin/v1/tenants/{tenant}/limits");
  const reading = useRead("/admin/v1/tenants/{tenant}/policy");
  const isAsked = query["new"] !== undefined && mayChange.value;
  const [draft, change] = useState<LimitDraft | null>(isAsked ? newLimit : null);
  const { loaded, again } = paging.loading;
  const policy = reading.loaded.state === "there" ? reading.loaded.value : {};
  const { cursor, go } = paging;
  const each = cursor === null ? limitsOfEach(policy) : [];
  const onDone = (): void => {
    change(null);
    void again();
    void reading.again();
  };
  return (
    <Page
      title="Limits"
      lead="Budgets and other limits, and what is left of them. Those of people, groups, and tags count from when they were set."
      actions={
        mayChange.value && (
          <Button class="main" onClick={() => change(newLimit)}>
            New limit
          </Button>
        )
      }
    >
      {loaded.state === "there" && loaded.value.data.some(isTight) && (
        <p class="notice warn">
          The database is almost full.{" "}
          <a href={ownPath("/policy")}>Keep records for a shorter time</a>
        </p>
      )}
      <There what="limits" loading={paging.loading}>
        {({ data, names, nextCursor }) => (
          <Table
            name="Limits"
            columns={[
              ...limitColumns(names),
              ...(mayChange.value ? [actionColumn({ policy, names, change })] : []),
            ]}
            rows={rowsOf(data, each)}
            keyOf={keyOfLimit}
            foot={<Steps cursor={cursor} next={nextCursor} go={go} />}
            empty="No limits: spending is unlimited."
          />
        )}
      </There>
      {draft !== null && <LimitForm begun={draft} onDone={onDone} onClose={() => change(null)} />}
    </Page>
  );
}
