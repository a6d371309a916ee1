import { useState } from "preact/hooks";
import { roomLevel } from "../../domain/limits/room.ts";
import { api, type Schemas } from "../api.ts";
import { limitTitle, limitTitles, ownerTitle, type LimitName } from "../limit-titles.ts";
import { useRead, valueIn } from "../load.ts";
import { byFullness, isOwn, type LimitState } from "../overview-figures.ts";
import type { Column } from "../parts/columns.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Fields, Form, useDraft, type FieldOf } from "../parts/form.tsx";
import { keyOfLimit, limitColumns } from "../parts/limit-columns.tsx";
import { RowActions, Steps, usePaging, useQuery, type Ends } from "../parts/list-page.tsx";
import { useSubjectNames, type Names } from "../parts/named.tsx";
import { Button, ForRole, Page, There } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath } from "../place.ts";
import type { Asked } from "../problem.ts";
import { mayChange } from "../session.ts";

interface LimitDraft {
  /** of the dialog */
  title: string;
  owner: string;
  limit: string;
  amount?: number;
}

const newLimit: LimitDraft = { title: "New limit", owner: "tenant", limit: "usdPerDay" };

const owners = {
  tenant: "the whole tenant",
  user: "each person",
  group: "each group",
  tag: "each tag",
} as const;

/** `null` if the limit is set elsewhere. */
function ownerOf(
  { name, subject }: LimitState,
  { groups, tags }: Schemas["Policy"],
): string | null {
  const [scope = ""] = name.split(".");
  const [, single = ""] = /^(?:group|tag):(.*)$/s.exec(subject) ?? [];
  const isSingle = (scope === "group" ? groups : tags)?.limits?.[single] !== undefined;
  if (scope in owners) return isSingle ? subject : scope;
  return scope === "key" || scope === "server" ? subject : null;
}

/** A merge patch of one limit. */
function set({ owner, limit, amount }: LimitDraft): Promise<Asked<unknown>> {
  const limits = { [limit as LimitName]: amount ?? null };
  const [, scope = "", single = ""] = /^(group|tag):(.*)$/s.exec(owner) ?? [];
  if (owner.startsWith("key_"))
    return api.PATCH("/admin/v1/tenants/{tenant}/keys/{id}", { id: owner, body: { limits } });
  if (owner.startsWith("srv_"))
    return api.PATCH("/admin/v1/tenants/{tenant}/servers/{server}", {
      server: owner,
      body: { policy: { limits } },
    });
  const bodies: Readonly<Record<string, Record<string, unknown>>> = {
    tenant: { limits },
    user: { perUser: limits },
    group: { groups: { each: limits } },
    tag: { tags: { each: limits } },
  };
  const body = bodies[owner] ?? { [`${scope}s`]: { limits: { [single]: limits } } };
  return api.PATCH("/admin/v1/tenants/{tenant}/policy", { body });
}

function LimitForm({ begun, onDone, onClose }: Ends & { begun: LimitDraft }) {
  const { draft, change } = useDraft(begun);
  const isNew = begun === newLimit;
  const names = Object.entries(useSubjectNames());
  const single = names.filter(([id]) => id.startsWith("key_") || id.startsWith("srv_"));
  const fields: FieldOf<LimitDraft>[] = [
    {
      name: "owner",
      title: "For",
      options: [...Object.entries(owners), ...single],
      hint: (
        <>
          For a single group or tag, use <a href={ownPath("/policy")}>Policy</a>.
        </>
      ),
    },
    { name: "limit", title: "Limit", options: Object.entries(limitTitles) },
  ];
  const amount: FieldOf<LimitDraft> = {
    name: "amount",
    title: limitTitles[draft.limit as LimitName],
    as: "number",
    min: 0,
    step: draft.limit.startsWith("usd") ? "any" : "1",
    isRequired: isNew,
    ...(!isNew && { hint: "Leave blank to remove the limit." }),
  };
  return (
    <Dialog title={begun.title} onClose={onClose}>
      <Form submit="Save limit" act={() => set(draft)} {...{ onDone }} onCancel={onClose}>
        <Fields of={isNew ? [...fields, amount] : [amount]} {...{ draft, change }} />
      </Form>
    </Dialog>
  );
}

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
    // Changed for each, above.
    if (owner !== state.subject && /^(?:user|group|tag):/.test(state.subject)) return "";
    // The shown limit is the raised one.
    if (owner === null || !(limit in limitTitles) || state.raisedUntil !== undefined)
      return <a href={ownPath("/policy")}>Policy</a>;
    const title = `${limitTitle(state.name)}, ${ownerTitle(state, names)}`;
    const act = () => change({ title, owner, limit, amount: state.limit });
    return <RowActions of={title} verbs={["Change"]} act={act} />;
  },
});

/** Limits of each person, group or tag follow the tenant's. */
function rowsOf(listed: readonly LimitState[], each: readonly LimitState[]): LimitState[] {
  const others = listed.filter((state) => !isOwn(state));
  return [...listed.filter(isOwn), ...each, ...others.toSorted(byFullness)];
}

export function Limits() {
  const [query] = useQuery();
  const paging = usePaging("/admin/v1/tenants/{tenant}/limits");
  const reading = useRead("/admin/v1/tenants/{tenant}/policy");
  const isAsked = query["new"] !== undefined && mayChange.value;
  const [draft, change] = useState<LimitDraft | null>(isAsked ? newLimit : null);
  const { again } = paging.loading;
  const policy = valueIn(reading) ?? {};
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
      {valueIn(paging.loading)?.data.some(isTight) && (
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
      <ForRole without="doesn’t set limits" />
      {draft !== null && <LimitForm begun={draft} onDone={onDone} onClose={() => change(null)} />}
    </Page>
  );
}
