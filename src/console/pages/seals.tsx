import verifier from "audit-verifier";
import type { Tampering } from "../../domain/audit/seal-check.ts";
import { counted } from "../../domain/counted.ts";
import { tamperingMessage } from "../../domain/audit/tampering-messages.ts";
import { addressOf, type Schemas } from "../api.ts";
import { count, fromNow, monthStart, zone } from "../format.ts";
import { valueIn } from "../load.ts";
import { column, type Column } from "../parts/columns.tsx";
import { CodeBlock, CopyButton } from "../parts/copy.tsx";
import { Fields, useDraft } from "../parts/form.tsx";
import { Listed, usePaging } from "../parts/list-page.tsx";
import { Badge, Button, Card, ForRole, Page } from "../parts/page.tsx";
import { ownPath, prefix, tenantHere } from "../place.ts";
import { askedFor } from "../requests/query.ts";

type Seal = Schemas["Seal"];

/** Records that no longer matched at the time of this seal. */
const changedIn = ({ checked }: Seal): string =>
  checked === null ? "not checked" : count(checked.tampered.length).replace(/^0$/, "none");

/** With the affected requests, if known. */
function Changed({ seal }: { seal: Seal }) {
  const what = changedIn(seal);
  if (seal.checked === null) return <Badge word={what} tone="warn" />;
  if (what === "none") return <Badge word={what} tone="good" />;
  return (
    <details>
      <summary>
        <Badge word={what} tone="bad" />
      </summary>
      <p>
        The database was changed outside the router. Keep a copy of it, then export the records and
        verify them.
      </p>
      <ul class="plain">
        {(seal.checked.tampered as Tampering[]).map((found) => {
          const text = tamperingMessage(found, (id) => id);
          const href = "id" in found && ownPath(`/requests/${found.id}`);
          return <li key={text}>{href ? <a {...{ href }}>{text}</a> : text}</li>;
        })}
      </ul>
    </details>
  );
}

const keysFile = "audit-keys.json";
const keysUrl = `${prefix}/.well-known/sampling-router/${keysFile}`;
const verifierUrl = new URL(verifier, import.meta.url).pathname;

const columns: readonly Column<Seal>[] = [
  { title: "Seal", isNumber: true, text: ({ number }) => number },
  column.time("From", ({ firstCreatedAt }) => firstCreatedAt),
  column.time("Sealed and checked", ({ sealedAt }) => sealedAt),
  column.number("Records", (seal) => seal.count, count),
  { title: "Tampering found", show: (seal) => <Changed {...{ seal }} />, text: changedIn },
  column.of("Signing key", ({ keyId }) => keyId),
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

/** Everything that an auditor needs without access to the console. */
function ForAuditor() {
  const { draft, change } = useDraft({ from: "", to: "" });
  const exportAs = (format: string) =>
    addressOf("/admin/v1/tenants/{tenant}/requests/export", { format, ...askedFor(draft) });
  return (
    <Card title="For an auditor" isStack aria-label="For an auditor">
      <p>
        An auditor needs the exported records, the public keys, the verifier and Node.js 20 or
        later, but no access to the router. The export has a line for each record and each seal.
      </p>
      <div class="filters">
        <Fields
          of={[
            { name: "from", title: "From", type: "date", max: draft.to || undefined },
            { name: "to", title: "To", type: "date", min: draft.from || undefined },
          ]}
          {...{ draft, change }}
        />
        <Button onClick={() => change({ from: monthStart(Date.now()), to: "" })}>This month</Button>
        {[
          ["Export records to verify", exportAs("ndjson"), ""],
          ["Export records as CSV", exportAs("csv"), ""],
          ["Public keys", keysUrl, keysFile],
          ["Verifier", verifierUrl, "audit.mjs"],
        ].map(([title, href = "", download = ""]) => (
          <a key={title} class="button" {...{ href, download }}>
            {title}
          </a>
        ))}
      </div>
      <p>
        Days are in the time zone {zone}. Without dates, all records are exported, in parts of at
        most 32,768. The command names each record that was changed, removed, or added. An auditor
        who doesn’t trust this router’s verifier runs <code>npm run audit</code> in the source code.
      </p>
      <CodeBlock
        title="Verify offline"
        text={`node audit.mjs verify ${tenantHere()}-requests-0.ndjson --key ${keysFile}`}
      />
      <p>
        Give the hash of the newest seal to the auditor now, as proof that later exports keep these
        records. For access to records in the console,{" "}
        <a href={ownPath("/keys?role=auditor")}>create auditor access</a>. Who changed what is in
        the <a href={ownPath("/events")}>log of changes</a>.
      </p>
    </Card>
  );
}

/** Further ones are shown on demand, without those that found tampering. */
const mostShown = 10;

function SealList() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/seals");
  const seals = paging.cursor === null ? (valueIn(paging.loading)?.data ?? []) : [];
  const [newest] = seals;
  const doubtful = seals.filter((seal) => changedIn(seal) !== "none").length;
  return (
    <div class="stack">
      {newest !== undefined && (
        <p>
          Newest seal: number {newest.number}, {fromNow(newest.sealedAt)};{" "}
          {doubtful === 0 ? "no tampering found" : `${doubtful} with tampering or not checked`} in
          the last {counted(seals.length, "seal")}.{" "}
          <CopyButton text={newest.hash} label="Copy its hash" />
        </p>
      )}
      <ForAuditor />
      <Listed
        paging={paging}
        name="Seals"
        columns={columns}
        keyOf={({ number }) => String(number)}
        isShown={(seal, at) => at < mostShown || changedIn(seal) !== "none"}
        empty="No seals yet. Records are sealed within a minute after they end."
      />
    </div>
  );
}

export const Seals = () => (
  <Page
    title="Seals"
    lead="Each seal signs the records completed since the previous seal, after a check for changes made outside the router. Verify a single request on its page."
  >
    <ForRole permission="audit" without="can’t read seals or export records">
      <SealList />
    </ForRole>
  </Page>
);
