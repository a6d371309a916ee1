import { useState } from "preact/hooks";
import { roles as roleNames, type Role } from "../../domain/tenancy/scopes.ts";
import { api, type Schemas } from "../api.ts";
import { time } from "../format.ts";
import { useLoaded } from "../load.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Confirm, useUnsaved } from "../parts/dialog.tsx";
import { Check, Fields, Form, useDraft, type FieldOf } from "../parts/form.tsx";
import { Badge, Button, Card, Facts, ForRole, Page, Pick, There } from "../parts/page.tsx";
import type { Fact } from "../parts/page.tsx";
import { guides } from "../people/provider-guides.ts";
import { beginTrial, SignInTrial } from "../people/sign-in-trial.tsx";
import { routerUrl, tenantHere } from "../place.ts";
import { ok, type Asked } from "../problem.ts";
import { mayChange } from "../session.ts";

type Provider = Schemas["IdentityProvider"];
type Settings = Schemas["IdentityProviderInput"];

/** What people with a claim value may do: `connects` programs by OAuth. */
type Group = { value: string; role: Role | ""; connects: boolean };
const newGroup: Group = { value: "", role: "viewer", connects: false };
const texts = { issuer: "", clientId: "", claim: "groups" };
/** With a row to fill in. */
const blank: Settings = { kind: "openid-connect", ...texts, roles: { "": "viewer" } };

const draftOf = ({ kind, issuer, clientId, claim, roles, callers = [] }: Settings) => {
  const values = [...new Set([...Object.keys(roles), ...callers])];
  const groups = values.map((value): Group => {
    return { value, role: roles[value] ?? "", connects: callers.includes(value) };
  });
  return { kind, issuer, clientId, claim, clientSecret: "", groups };
};
type Draft = ReturnType<typeof draftOf>;

function settingsIn({ groups, clientSecret, ...settings }: Draft): Settings {
  const valuesOf = (isOne: (group: Group) => boolean): string[] =>
    groups.filter(isOne).flatMap(({ value }) => value.trim() || []);
  const roles = roleNames.flatMap((role) =>
    valuesOf((group) => group.role === role).map((value) => [value, role] as const),
  );
  return {
    ...settings,
    roles: Object.fromEntries(roles),
    callers: valuesOf(({ connects }) => connects),
    ...(clientSecret !== "" && { clientSecret }),
  };
}

const groupFields: readonly FieldOf<Group>[] = [
  { name: "value", title: "Claim value", placeholder: "platform-team" },
  {
    name: "role",
    title: "Console role",
    options: [["", "no access"], ...roleNames.map((role) => [role, role] as const)],
  },
  { name: "connects", title: "May connect programs to servers" },
];

function Groups({ groups, change }: { groups: Group[]; change: (groups: Group[]) => void }) {
  return (
    <fieldset>
      <legend>Who has access</legend>
      {groups.map((group, at) => (
        <div key={at} class="group-row">
          <Fields
            of={groupFields}
            draft={group}
            path={`groups.${at}.`}
            change={(changes) => change(groups.with(at, { ...group, ...changes } as Group))}
          />
          <Button
            class="quiet danger"
            aria-label={`Remove ${group.value || "this row"}`}
            onClick={() => change(groups.toSpliced(at, 1))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button class="quiet" onClick={() => change([...groups, newGroup])}>
        Add a group
      </Button>
      <p class="faint">
        If several match, the strongest role applies. People with no match can’t sign in.
      </p>
    </fieldset>
  );
}

const guideOf = (issuer: string): string =>
  guides.findLast(({ mark }) => mark !== "" && issuer.includes(mark))?.name ?? "Another";
const guideNamed = (wanted: string) => guides.find(({ name }) => name === wanted);
const issuerField = { name: "issuer", title: "Issuer", isRequired: true, type: "url" } as const;
const kinds = { "openid-connect": "OpenID Connect", "cloudflare-access": "Cloudflare Access" };
const fieldsOf = (isKept: boolean): readonly FieldOf<Draft>[] => [
  { name: "clientId", title: "Client id", isRequired: true },
  {
    name: "clientSecret",
    title: "Client secret",
    type: "password",
    hint: isKept ? "Leave blank to keep the current one." : "",
  },
  { name: "claim", title: "Claim", isRequired: true, hint: "Determines the role." },
  { name: "kind", title: "Kind", options: Object.entries(kinds) },
];

function changesFor(picked: string, { draft, saved }: Record<"draft" | "saved", Draft>) {
  const { issuer = "", claim = "groups" } = guideNamed(picked) ?? {};
  // What was typed stays.
  if (![saved, ...guides].some((each) => each.issuer === draft.issuer)) return {};
  if (picked !== guideOf(saved.issuer))
    return { issuer: issuer.includes("<") ? "" : issuer, claim, clientId: "" };
  return { issuer: saved.issuer, claim: saved.claim, clientId: saved.clientId };
}

/** What the identity provider’s form asks for, and the link to hand out. */
const Guide = ({ guide, pick }: { guide: string; pick: (name: string) => void }) => (
  <div class="two">
    <div class="stack">
      <h3>At your identity provider</h3>
      <Pick
        label="Steps for"
        value={guide}
        options={guides.map(({ name }) => [name, name])}
        onPick={pick}
      />
      <ol>
        {guideNamed(guide)?.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </div>
    <div class="stack">
      <CodeBlock
        title="Redirect URI: console"
        text={`${routerUrl}/console/single-sign-on/callback`}
      />
      <CodeBlock title="Redirect URI: connected programs" text={`${routerUrl}/oauth/sign-in`} />
      <h3>For your people</h3>
      <CodeBlock title="Sign-in link" text={`${routerUrl}/console?tenant=${tenantHere()}`} />
      <p class="faint">
        Works with the saved settings. Without it, people enter the tenant,{" "}
        <code>{tenantHere()}</code>.
      </p>
    </div>
  </div>
);

function Edit({ provider, onDone }: { provider: Provider | null; onDone: () => void }) {
  const saved = draftOf(provider ?? blank);
  const { draft, change } = useDraft(saved);
  const [guide, setGuide] = useState(guideOf(draft.issuer));
  /** undefined unless the provider can't be used */
  const [isSure, setSure] = useState<boolean>();
  const question = useUnsaved(JSON.stringify(draft) !== JSON.stringify(saved));
  const pick = (picked: string): void => {
    setGuide(picked);
    change(changesFor(picked, { draft, saved }));
  };
  const isKept = saved.issuer === draft.issuer && provider?.hasSecret === true;
  const save = async (): Promise<Asked<unknown>> => {
    const body = settingsIn(draft);
    if (draft.kind === "openid-connect" && isSure !== true) {
      const tried = await beginTrial(body);
      setSure(tried.ok ? undefined : false);
      if (!tried.ok) return tried;
    }
    return api.PUT("/admin/v1/tenants/{tenant}/sign-in", { body });
  };
  return (
    <Form submit="Save changes" act={save} {...{ onDone }}>
      <Guide {...{ guide, pick }} />
      <Fields
        of={[{ ...issuerField, hint: guideNamed(guide)?.issuer }]}
        draft={draft}
        change={(changes) => {
          change(changes);
          setGuide(guideOf(changes.issuer ?? ""));
        }}
      />
      <div class="grid">
        <Fields of={fieldsOf(isKept)} {...{ draft, change }} />
      </div>
      <Groups groups={draft.groups} change={(groups) => change({ groups })} />
      {draft.kind === "openid-connect" && <SignInTrial settingsOf={() => settingsIn(draft)} />}
      {isSure !== undefined && (
        <Check
          title="Save although the provider can’t be used now"
          name="isSure"
          value={isSure}
          onInput={setSure}
        />
      )}
      {question}
      <p class="faint">
        {provider && provider.issuer !== draft.issuer && `Saving replaces ${provider.issuer}. `}
        Saving ends the sessions of all people of this tenant.
      </p>
    </Form>
  );
}

/** Whether the saved settings work by now. A trial stores nothing. */
function Reached({ provider }: { provider: Provider }) {
  const { loaded } = useLoaded("reached", () => beginTrial(settingsIn(draftOf(provider))));
  if (loaded.state === "loading") return null;
  return loaded.state === "there" ? (
    <Badge word="the saved provider answers" tone="good" />
  ) : (
    <>
      <Badge word="the saved settings don’t work" tone="warn" /> {loaded.problem.detail}
    </>
  );
}

const factsOf = ({ issuer, clientId, claim, roles, callers }: Provider): Fact[] => [
  ["Issuer", issuer],
  ["Client id", clientId],
  ["Claim", claim],
  ...Object.entries(roles),
  ["May connect programs", callers?.join(", ") ?? "none"],
];

/** A missing provider isn't an error. */
async function providerOf(): Promise<Asked<Provider | null>> {
  const found = await api.GET("/admin/v1/tenants/{tenant}/sign-in");
  return !found.ok && found.problem.status === 404 ? ok(null) : found;
}

export function SignOn() {
  const loading = useLoaded("identity provider", providerOf);
  const [said, say] = useState("");
  const [isRemoving, setRemoving] = useState(false);
  const done = (word: string): void => {
    setRemoving(false);
    void loading.again().then(() => say(word));
  };
  return (
    <Page
      title="Single sign-on"
      lead="People sign in to the console, and connect programs, with your identity provider."
    >
      <There what="the identity provider" loading={loading}>
        {(provider) => (
          <Card title="Identity provider" isStack aria-label="Identity provider">
            <p key={provider?.updatedAt}>
              {provider === null
                ? "No identity provider configured. People sign in with API keys."
                : `Set on ${time(provider.updatedAt)}. `}
              {provider?.kind === "openid-connect" && mayChange.value && (
                <Reached {...{ provider }} />
              )}
            </p>
            <ForRole without="can’t set the identity provider">
              <Edit
                key={provider?.updatedAt}
                {...{ provider }}
                onDone={() => done("Saved. People sign in again.")}
              />
              {said !== "" && (
                <p class="notice good" role="status">
                  {said}
                </p>
              )}
              {provider !== null && (
                <div class="buttons">
                  <Button class="quiet danger" onClick={() => setRemoving(true)}>
                    Remove identity provider
                  </Button>
                </div>
              )}
            </ForRole>
            {!mayChange.value && provider !== null && <Facts of={factsOf(provider)} />}
          </Card>
        )}
      </There>
      {isRemoving && (
        <Confirm
          title="Remove and end sessions"
          act={() => api.DELETE("/admin/v1/tenants/{tenant}/sign-in")}
          onDone={() => done("Removed.")}
          onClose={() => setRemoving(false)}
        >
          <p>Ends the sessions of all people of this tenant. Keys are not affected.</p>
        </Confirm>
      )}
    </Page>
  );
}
