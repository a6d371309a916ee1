import { useState } from "preact/hooks";
import type { JsonObject } from "../../domain/json.ts";
import { roomLevel } from "../../domain/limits/room.ts";
import { api, type Schemas } from "../api.ts";
import { limitTitle, limitTitles, ownerTitle, type LimitName } from "../limit-titles.ts";
import { useLoaded, useRead, valueIn } from "../load.ts";
import { valueAt } from "../members.ts";
import { byFullness, shareOf, toneOf, type LimitState } from "../overview-figures.ts";
import { FormDialog } from "../parts/dialog.tsx";
import { Fields, useDraft, type FieldOf } from "../parts/form.tsx";
import { amountText, keyOfLimit, limitColumns, type ShownLimit } from "../parts/limit-columns.tsx";
import type { Limits as Amounts } from "../parts/limits.tsx";
import { Steps, usePaging, useQuery, type Paging } from "../parts/list-page.tsx";
import { useSubjectNames, type Names } from "../parts/named.tsx";
import { Button, ForRole, Page, There } from "../parts/page.tsx";
import { RowActions } from "../parts/row-actions.tsx";
import { topUsage } from "../parts/spend.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath } from "../place.ts";
import { ok, type Asked } from "../problem.ts";
import { mayChange } from "../session.ts";

interface LimitDraft {
  title: string;
  owner: string;
  limit: LimitName;
  amount?: number;
  state?: LimitState;
}

const newLimit: LimitDraft = { title: "New limit", owner: "tenant", limit: "usdPerDay" };

/** Whose limits the policy sets, and where they are in it. */
const owners = {
  tenant: { title: "the whole tenant", path: "limits" },
  user: { title: "each person", path: "perUser" },
  group: { title: "each group", path: "groups.each" },
  tag: { title: "each tag", path: "tags.each" },
} as const;

/** `null` if the limit is set elsewhere. */
function ownerOf({ name, subject }: LimitState, policy: Schemas["Policy"]): string | null {
  const [scope = ""] = name.split(".");
  const [, single = ""] = subject.split(/:(.*)/s);
  const { limits } = (scope === "group" ? policy.groups : policy.tags) ?? {};
  if (scope in owners) return limits?.[single] === undefined ? scope : subject;
  return scope === "key" || scope === "server" ? subject : null;
}

function placeOf(owner: string): readonly string[] {
  const [scope = "", single = ""] = owner.split(/:(.*)/s);
  if (owner in owners) return owners[owner as keyof typeof owners].path.split(".");
  if (single !== "") return [`${scope}s`, "limits", single];
  return owner.startsWith("key_") ? ["limits"] : ["policy", "limits"];
}

function set({ owner, limit, amount }: LimitDraft): Promise<Asked<unknown>> {
  const body = placeOf(owner).reduceRight<JsonObject>((inner, name) => ({ [name]: inner }), {
    [limit]: amount ?? null,
  });
  if (owner.startsWith("key_"))
    return api.PATCH("/admin/v1/tenants/{tenant}/keys/{id}", { id: owner, body });
  if (owner.startsWith("srv_"))
    return api.PATCH("/admin/v1/tenants/{tenant}/servers/{server}", { server: owner, body });
  return api.PATCH("/admin/v1/tenants/{tenant}/policy", { body });
}

type FormProps = { begun: LimitDraft; onDone: (saved: LimitDraft) => void; onClose: () => void };

function LimitForm({ begun, onDone, onClose }: FormProps) {
  const { draft, change } = useDraft(begun);
  const isNew = begun === newLimit;
  const single = Object.entries(useSubjectNames()).filter(([id]) => /^(?:key|srv)_/.test(id));
  const used = useLoaded("groups and tags", () => topUsage({ by: ["group", "tag"], limit: 200 }));
  const options = [
    ...Object.entries(owners).map(([id, { title }]) => [id, title] as const),
    ...(valueIn(used)?.data ?? []).map(
      (row) => [`${row.by}:${row.group}`, `${row.by} ${row.group}`] as const,
    ),
    ...single,
  ];
  const hint = (
    <>
      Limits of a single group or tag replace those of each one. For others, and to raise a person’s
      limit, use <a href={ownPath("/policy#perUser")}>Policy</a>.
    </>
  );
  const where: FieldOf<LimitDraft>[] = [
    { name: "owner", title: "For", options, hint },
    { name: "limit", title: "Limit", options: Object.entries(limitTitles) },
  ];
  const amount: FieldOf<LimitDraft> = {
    name: "amount",
    title: limitTitles[draft.limit],
    as: "number",
    path: [...placeOf(draft.owner), draft.limit].join("."),
    isRequired: isNew,
    ...(!isNew && { hint: "Leave blank to remove the limit." }),
  };
  const save = async (): Promise<Asked<LimitDraft>> => {
    const done = await set(draft);
    const owner = options.find(([id]) => id === draft.owner)?.[1];
    const title = isNew ? `${limitTitles[draft.limit]}, ${owner}` : begun.title;
    return done.ok ? ok({ ...draft, title: `${title}: ${draft.amount ?? "unlimited"}` }) : done;
  };
  return (
    <FormDialog title={begun.title} submit="Save limit" act={save} {...{ onDone, onClose }}>
      <Fields of={isNew ? [...where, amount] : [amount]} {...{ draft, change }} />
      {begun.state && draft.amount !== undefined && draft.amount <= begun.state.used && (
        <p class="notice warn">
          {amountText(begun.state, begun.state.used)} are used already, so further calls are
          refused.
        </p>
      )}
    </FormDialog>
  );
}

type Listed = { data: readonly LimitState[]; names: Names };

/** The API lists people, groups, and tags only from their first call. Each row has the figures of the fullest one. */
function limitsOfEach(policy: Schemas["Policy"], { data, names }: Listed): ShownLimit[] {
  const stateOf = (name: string, limit: number): ShownLimit => {
    const its = data.filter((each) => each.name === name && ownerOf(each, policy) !== each.subject);
    const [fullest] = its.toSorted(byFullness);
    const unit = name.includes(".usd") ? "usd" : "requests";
    const unused = { unit, used: 0, reserved: 0, left: limit, resetsAt: null } as const;
    const highest = fullest && ownerTitle(fullest, names);
    return { ...unused, ...fullest, name, subject: "", limit, highest };
  };
  return (["user", "group", "tag"] as const).flatMap((scope) =>
    Object.entries((valueAt(policy, owners[scope].path) ?? {}) as Amounts).map(([name, limit]) =>
      stateOf(`${scope}.${name}`, limit),
    ),
  );
}

/** Runs, and who is limited like each other. */
const isOneOfMany = (state: LimitState, policy: Schemas["Policy"]): boolean =>
  /^(?:run|user|group|tag):/.test(state.subject) && ownerOf(state, policy) !== state.subject;

const isAlmostFull = ({ unit, used, limit }: LimitState): boolean =>
  unit === "bytes" && ["tight", "full"].includes(roomLevel({ usedBytes: used, limitBytes: limit }));

type Changing = { policy: Schemas["Policy"]; change: (draft: LimitDraft) => void };
type ActionProps = Changing & { state: LimitState; names: Names };

function Action({ state, policy, names, change }: ActionProps) {
  const [, limit = ""] = state.name.split(".");
  const owner = ownerOf(state, policy);
  // One of many is changed for each.
  if (!mayChange.value || isOneOfMany(state, policy)) return null;
  // The shown limit is the raised one.
  const isRaised = state.raisedUntil !== undefined;
  if (isRaised || owner === null || !(limit in limitTitles))
    return <a href={ownPath(isRaised ? "/policy#raises" : "/policy")}>Policy</a>;
  const title = `${limitTitle(state.name)}, ${ownerTitle(state, names)}`;
  const draft = { title, owner, limit: limit as LimitName, amount: state.limit, state };
  return <RowActions of={title} verbs={["Change"]} act={() => change(draft)} />;
}

type TableProps = Changing & { paging: Paging<LimitState, Listed>; added: LimitDraft | null };

const filterFields = [
  { name: "find", title: "Find", placeholder: "key, person, tag" },
  { name: "isWarning", title: "Only budgets with a warning", as: "check" },
] as const;

function LimitTable({ paging, policy, change, added }: TableProps) {
  // Links from alerts have the id.
  const [{ find: asked = "", show }] = useQuery();
  const its = useDraft({ find: asked, isWarning: show === "warnings" });
  const { find, isWarning } = its.draft;
  const isFound = (state: ShownLimit, names: Names): boolean =>
    (!isWarning ||
      (state.unit === "usd" && state.subject !== "" && toneOf(state, Date.now()) !== "good")) &&
    `${ownerTitle(state, names)} ${state.subject}`
      .toLowerCase()
      .includes(find.trim().toLowerCase());
  const isAdded = (state: LimitState): boolean =>
    added?.state === undefined &&
    state.name.endsWith(`.${added?.limit}`) &&
    ownerOf(state, policy) === added?.owner &&
    !isOneOfMany(state, policy);
  return (
    <>
      <div class="filters" role="search">
        <Fields of={filterFields} {...its} />
      </div>
      <There what="limits" loading={paging.loading}>
        {({ data, names, nextCursor }) => {
          const each = paging.cursor === null ? limitsOfEach(policy, { data, names }) : [];
          const rows = [...each, ...data]
            .filter((state) => isAdded(state) || isFound(state, names))
            .toSorted(byFullness);
          const first = rows.filter(isAdded);
          return (
            <Table
              name="Limits"
              columns={[
                ...limitColumns(names),
                { title: "", show: (state) => <Action {...{ state, policy, names, change }} /> },
              ]}
              rows={[...new Set([...first, ...rows])]}
              groupOf={(state) => (state.unit === "usd" ? "Budgets" : "Other limits")}
              keyOf={keyOfLimit}
              current={first.map(keyOfLimit).join()}
              isShown={(state, at) =>
                find !== "" ||
                isWarning ||
                shareOf(state) >= 0.8 ||
                first.includes(state) ||
                (!isOneOfMany(state, policy) && (state.unit === "usd" || state.used > 0 || at < 20))
              }
              foot={<Steps {...paging} next={nextCursor} />}
              empty={find || isWarning ? "No limit matches." : "No limits: spending is unlimited."}
            />
          );
        }}
      </There>
    </>
  );
}

export function Limits() {
  const [query] = useQuery();
  const paging = usePaging("/admin/v1/tenants/{tenant}/limits");
  const reading = useRead("/admin/v1/tenants/{tenant}/policy");
  const isAsked = query["new"] !== undefined && mayChange.value;
  const [draft, change] = useState<LimitDraft | null>(isAsked ? newLimit : null);
  const [saved, save] = useState<LimitDraft | null>(null);
  const policy = valueIn(reading) ?? {};
  const onDone = (its: LimitDraft): void => {
    change(null);
    save(its);
    void paging.loading.again();
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
      {saved && <p class="notice good" role="status" children={`Saved: ${saved.title}`} />}
      {valueIn(paging.loading)?.data.some(isAlmostFull) && (
        <p class="notice warn">
          The database is almost full.{" "}
          <a href={ownPath("/policy#capture")}>Keep records for a shorter time</a>
        </p>
      )}
      <LimitTable {...{ paging, policy, change }} added={saved} />
      <ForRole without="doesn’t set limits" />
      {draft && <LimitForm begun={draft} onDone={onDone} onClose={() => change(null)} />}
    </Page>
  );
}
