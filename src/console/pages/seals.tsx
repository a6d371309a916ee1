import type { Tampering } from "../../domain/audit/seal-check.ts";
import { tamperingMessage } from "../../domain/audit/tampering-messages.ts";
import { api, asked, type Schemas } from "../api.ts";
import { count, monthStart } from "../format.ts";
import { timeColumn } from "../parts/columns.tsx";
import { CodeBlock, CopyButton } from "../parts/copy.tsx";
import { Fields } from "../parts/fields.tsx";
import { useDraft } from "../parts/form.tsx";
import { Badge } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { NotForRole } from "../parts/role.tsx";
import { Listed } from "../parts/listed.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { prefix, tenantPath } from "../place.ts";
import { momentIn } from "../requests/live-list.ts";
import { may } from "../session.ts";

type Seal = Schemas["Seal"];

/** With the affected request, if known. */
const whatChanged = ({ checked }: Seal): { text: string; id: string | null }[] =>
  ((checked?.tampered ?? []) as Tampering[]).map((found) => ({
    text: tamperingMessage(found, (id) => id),
    id: "id" in found ? found.id : null,
  }));

/** Records that no longer matched at the time of this seal. */
function changedIn({ checked }: Seal): string {
  if (checked === null) return "not checked";
  return checked.tampered.length === 0 ? "none" : count(checked.tampered.length);
}

const keysUrl = `${prefix}/.well-known/sampling-router/audit-keys.json`;

const columnsOf = (tenant: string): readonly Column<Seal>[] => [
  { title: "Seal", isNumber: true, text: ({ number }) => number },
  timeColumn("Sealed", ({ sealedAt }) => sealedAt),
  {
    title: "Records",
    isNumber: true,
    show: (seal) => count(seal.count),
    text: (seal) => seal.count,
  },
  timeColumn("From", ({ firstCreatedAt }) => firstCreatedAt),
  {
    title: "Tampering",
    show: (seal) => {
      const what = changedIn(seal);
      if (seal.checked === null) return <Badge word={what} tone="warn" />;
      if (what === "none") return <Badge word={what} tone="good" />;
      return (
        <details>
          <summary>
            <Badge word={what} tone="bad" />
          </summary>
          <p>
            The database was changed outside the router. Keep a copy of it, then export the records
            and verify them.
          </p>
          <ul class="plain">
            {whatChanged(seal).map(({ text, id }) => (
              <li key={text}>
                {id === null ? text : <a href={tenantPath(tenant, `/requests/${id}`)}>{text}</a>}
              </li>
            ))}
          </ul>
        </details>
      );
    },
    text: changedIn,
  },
  {
    title: "Signing key",
    show: ({ keyId }) => (
      <a href={keysUrl} title="Document with the public keys">
        <code>{keyId}</code>
      </a>
    ),
    text: ({ keyId }) => keyId,
  },
  {
    title: "Hash",
    show: ({ hash }) => (
      <>
        <code>{hash.slice(0, 12)}…</code> <CopyButton text={hash} />
      </>
    ),
    text: ({ hash }) => hash,
  },
];

export function Seals({ params: { tenant } }: { params: { tenant: string } }) {
  if (may("audit")) return <SealList tenant={tenant} />;
  return (
    <Page title="Seals" lead="Each seal signs the records completed since the previous seal.">
      <NotForRole what="can’t read seals or export records" permission="audit" />
    </Page>
  );
}

/** Everything that an auditor needs without access to the console. */
function ForAuditor({ tenant, newest }: { tenant: string; newest: Seal | undefined }) {
  const { draft, change } = useDraft({ from: "", to: "" });
  const query = Object.entries(draft)
    .map(([name, day]) => (day === "" ? "" : `&${name}=${momentIn(name, day)}`))
    .join("");
  const exportUrl = `${prefix}/admin/v1/tenants/${encodeURIComponent(tenant)}/requests/export`;
  return (
    <section class="card stack" aria-label="For an auditor">
      <h2>For an auditor</h2>
      <div class="filters">
        <Fields
          of={[
            { name: "from", title: "From", type: "date", max: draft.to || undefined },
            { name: "to", title: "To", type: "date", min: draft.from || undefined },
          ]}
          {...{ draft, change }}
        />
        <button type="button" onClick={() => change({ from: monthStart(Date.now()), to: "" })}>
          This month
        </button>
        <a class="button" href={`${exportUrl}?format=ndjson${query}`} download="">
          Export records to verify
        </a>
        <a class="button" href={`${exportUrl}?format=csv${query}`} download="">
          Export records as CSV
        </a>
        <a class="button" href={keysUrl} download="audit-keys.json">
          Public keys
        </a>
      </div>
      <p>
        Without dates, all records are exported, in parts of at most 32,768. The auditor verifies
        them without access to the router:
      </p>
      <CodeBlock
        title="Verify offline"
        text={`npm run audit -- verify ${tenant}-requests-0.ndjson --key audit-keys.json`}
      />
      {newest !== undefined && (
        <p>
          Hash of the newest seal, to keep elsewhere: <code>{newest.hash}</code>{" "}
          <CopyButton text={newest.hash} of="the newest hash" />
        </p>
      )}
      <p>
        For access to records in the console,{" "}
        <a href={tenantPath(tenant, "/keys?role=auditor")}>create auditor access</a>. Who changed
        what is in the <a href={tenantPath(tenant, "/events")}>log of changes</a>.
      </p>
    </section>
  );
}

function SealList({ tenant }: { tenant: string }) {
  const paging = usePaging<Seal>(`seals of ${tenant}`, (query) =>
    asked(api.GET("/admin/v1/tenants/{tenant}/seals", { params: { path: { tenant }, query } })),
  );
  const { loaded } = paging.loading;
  const isNewest = loaded.state === "there" && paging.cursor === null;
  return (
    <Page
      title="Seals"
      lead="Each seal signs the records completed since the previous seal, which makes later changes detectable. Verify a single request on its page."
    >
      <div class="stack">
        <ForAuditor tenant={tenant} newest={isNewest ? loaded.value.data[0] : undefined} />
        <Listed
          what="seals"
          paging={paging}
          name="Seals"
          columns={columnsOf(tenant)}
          keyOf={({ number }) => String(number)}
          empty="No seals yet. Records are sealed within a minute after they end."
        />
      </div>
    </Page>
  );
}
