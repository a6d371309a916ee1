import type { Tampering } from "../../domain/audit/seal-check.ts";
import { tamperingMessage } from "../../domain/audit/tampering-messages.ts";
import { api, asked, type Schemas } from "../api.ts";
import { count } from "../format.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Badge } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { NotForRole } from "../parts/role.tsx";
import { Listed } from "../parts/listed.tsx";
import { usePaging } from "../parts/pages.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf, Time } from "../parts/time.tsx";
import { prefix, tenantPath } from "../place.ts";
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

const columnsOf = (tenant: string): Column<Seal>[] => [
  { title: "Seal", isNumber: true, show: ({ number }) => number, text: ({ number }) => number },
  {
    title: "Sealed",
    show: ({ sealedAt }) => <Time at={sealedAt} />,
    text: ({ sealedAt }) => isoOf(sealedAt),
  },
  {
    title: "Records",
    isNumber: true,
    show: (seal) => count(seal.count),
    text: (seal) => seal.count,
  },
  {
    title: "From",
    show: ({ firstCreatedAt }) => <Time at={firstCreatedAt} />,
    text: ({ firstCreatedAt }) => isoOf(firstCreatedAt),
  },
  {
    title: "Changed records found",
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
  { title: "Signing key", show: ({ keyId }) => <code>{keyId}</code>, text: ({ keyId }) => keyId },
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

function SealList({ tenant }: { tenant: string }) {
  const paging = usePaging<Seal>(`seals of ${tenant}`, (query) =>
    asked(api.GET("/admin/v1/tenants/{tenant}/seals", { params: { path: { tenant }, query } })),
  );
  const exportUrl = `${prefix}/admin/v1/tenants/${encodeURIComponent(tenant)}/requests/export`;
  return (
    <Page
      title="Seals"
      lead="Each seal signs the records completed since the previous seal, which makes later changes detectable. Keep the newest hash elsewhere to detect a replaced chain."
      actions={
        <>
          <a class="button" href={`${prefix}/.well-known/sampling-router/audit-keys.json`} download>
            Public keys
          </a>
          <a class="button" href={`${exportUrl}?format=ndjson`} download>
            Export records to verify
          </a>
          <a class="button" href={`${exportUrl}?format=csv`} download>
            Export records as CSV
          </a>
        </>
      }
    >
      <Listed
        what="seals"
        paging={paging}
        name="Seals"
        columns={columnsOf(tenant)}
        keyOf={({ number }) => String(number)}
        empty="No seals yet. Records are sealed within a minute after they end."
      />
      <p class="lead">
        Verify a single request on its page. Verify an export offline with{" "}
        <code>npm run audit -- verify</code>.
      </p>
    </Page>
  );
}
