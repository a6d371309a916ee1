import { Button, Card } from "../parts/card.tsx";
import { useState } from "preact/hooks";
import { roles, type Role } from "../../domain/tenancy/scopes.ts";
import { api, type Schemas } from "../api.ts";
import { time } from "../format.ts";
import { useLoaded } from "../load.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Fields, type FieldOf } from "../parts/fields.tsx";
import { Check, Form } from "../parts/form.tsx";
import { There } from "../parts/notice.tsx";
import { NotForRole } from "../parts/role.tsx";
import { useUnsaved } from "../parts/unsaved.tsx";
import { routerUrl, tenantHere } from "../place.ts";
import { mayChange } from "../session.ts";
import { ProviderGuides } from "./provider-guides.tsx";
import { SignInTrial } from "./sign-in-trial.tsx";

type Provider = Schemas["IdentityProvider"];
type Settings = Pick<Provider, "kind" | "issuer" | "clientId" | "claim">;

const nothing: Settings = { kind: "openid-connect", issuer: "", clientId: "", claim: "groups" };
const kinds = [
  ["openid-connect", "OpenID Connect"],
  ["cloudflare-access", "Cloudflare Access"],
] as const;

/** What people with a claim value may do. */
interface Group {
  value: string;
  role: Role | "";
  /** by OAuth */
  connects: boolean;
}

function groupsOf(provider: Provider | null): Group[] {
  const { roles: given = {}, callers = [] } = provider ?? {};
  const values = [...new Set([...Object.keys(given), ...callers])];
  return (values.length === 0 ? [""] : values).map((value) => ({
    value,
    role: given[value] ?? (provider === null ? "viewer" : ""),
    connects: callers.includes(value),
  }));
}

const settingsIn = (groups: readonly Group[]) => {
  const named = groups.filter(({ value }) => value.trim() !== "");
  const callers = named.filter(({ connects }) => connects).map(({ value }) => value.trim());
  return {
    roles: Object.fromEntries(
      named.flatMap(({ value, role }) => (role === "" ? [] : [[value.trim(), role] as const])),
    ),
    ...(callers.length > 0 && { callers }),
  };
};

const roleTitles: readonly (readonly [Role | "", string])[] = [
  ["", "no access"],
  ...roles.map((role) => [role, role] as const),
];

const groupFields: readonly FieldOf<Group>[] = [
  { name: "value", title: "Claim value", placeholder: "platform-team" },
  { name: "role", title: "Console role", options: roleTitles },
  { name: "connects", title: "May connect programs to servers" },
];

function Groups(props: { groups: readonly Group[]; change: (groups: Group[]) => void }) {
  const { groups, change } = props;
  return (
    <fieldset>
      <legend>Who has access</legend>
      {groups.map((group, at) => (
        <div key={at} class="group-row">
          <Fields
            of={groupFields}
            draft={group}
            path={`groups.${at}.`}
            change={(changes) => change(groups.with(at, { ...group, ...changes }))}
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
      <Button
        class="quiet"
        onClick={() => change([...groups, { value: "", role: "viewer", connects: false }])}
      >
        Add a group
      </Button>
      <p class="faint">
        If several match, the strongest role applies. People with no match can’t sign in.
      </p>
    </fieldset>
  );
}

/** What the identity provider’s form asks for, and the link to hand out. */
const Addresses = ({ isSet }: { isSet: boolean }) => (
  <div class="two">
    <div>
      <h3>At your identity provider</h3>
      <p>
        Register a web application (OpenID Connect, authorization code) with these redirect URIs.
        The second is for people who connect programs.
      </p>
      <CodeBlock
        title="Redirect URIs"
        text={`${routerUrl}/console/single-sign-on/callback\n${routerUrl}/oauth/sign-in`}
      />
      <p>Have it put the person’s groups into the ID token.</p>
    </div>
    <div>
      <h3>For your people</h3>
      <p>
        {isSet
          ? "With this link, people sign in without entering the tenant."
          : "Once saved, people sign in with this link."}
      </p>
      <CodeBlock title="Sign-in link" text={`${routerUrl}/console?tenant=${tenantHere()}`} />
    </div>
  </div>
);

interface EditProps {
  provider: Provider | null;
  onDone: () => void;
}

type Draft = Settings & { clientSecret: string };

const fieldsOf = (provider: Provider | null): readonly FieldOf<Draft>[] => [
  { name: "kind", title: "Kind", options: kinds },
  { name: "issuer", title: "Issuer", isRequired: true, hint: "The provider’s issuer URL." },
  { name: "clientId", title: "Client id", isRequired: true },
  {
    name: "claim",
    title: "Claim",
    isRequired: true,
    hint: "The claim that determines the role, for example groups.",
  },
  {
    name: "clientSecret",
    title: "Client secret",
    type: "password",
    hint: provider?.hasSecret === true ? "Leave blank to keep the current one." : "",
  },
];

function Edit({ provider, onDone }: EditProps) {
  const [draft, setDraft] = useState<Draft>({ ...(provider ?? nothing), clientSecret: "" });
  const [groups, setGroups] = useState(groupsOf(provider));
  const [isSure, setSure] = useState<boolean | null>(null);
  const current = JSON.stringify([draft, groups]);
  const [saved] = useState(current);
  const question = useUnsaved(current !== saved);
  const settingsOf = () => {
    const { kind, issuer, clientId, claim, clientSecret } = draft;
    const secret = clientSecret === "" ? {} : { clientSecret };
    return { kind, issuer, clientId, claim, ...settingsIn(groups), ...secret };
  };
  const save = async () => {
    const body = settingsOf();
    if (draft.kind === "openid-connect" && isSure !== true) {
      const tried = await api.POST("/admin/v1/tenants/{tenant}/sign-in/trial", {
        body,
      });
      setSure(tried.ok ? null : false);
      if (!tried.ok) return tried;
    }
    const put = await api.PUT("/admin/v1/tenants/{tenant}/sign-in", { body });
    if (put.ok) onDone();
    return put;
  };
  return (
    <Form submit="Save changes" act={save}>
      <ProviderGuides isSaved={provider !== null} fill={(its) => setDraft({ ...draft, ...its })} />
      <div class="grid">
        <Fields
          of={fieldsOf(provider)}
          draft={draft}
          change={(changes) => setDraft({ ...draft, ...changes })}
        />
      </div>
      <Groups groups={groups} change={setGroups} />
      {draft.kind === "openid-connect" && <SignInTrial {...{ settingsOf }} />}
      {isSure !== null && (
        <Check
          title="Save although the provider can’t be used now"
          name="sure"
          value={isSure}
          onInput={setSure}
        />
      )}
      {question}
      <p class="faint">Saving ends the sessions of all people of this tenant.</p>
    </Form>
  );
}

function Remove({ onDone }: Omit<EditProps, "provider">) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <div class="buttons">
        <Button class="quiet danger" onClick={() => setAsking(true)}>
          Remove identity provider
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title="Remove and end sessions"
          act={() => api.DELETE("/admin/v1/tenants/{tenant}/sign-in")}
          onDone={onDone}
          onClose={() => setAsking(false)}
        >
          <p>Ends the sessions of all people of this tenant. Keys are not affected.</p>
        </Confirm>
      )}
    </>
  );
}

/** A missing provider isn't an error. */
async function providerOf() {
  const found = await api.GET("/admin/v1/tenants/{tenant}/sign-in");
  return !found.ok && found.problem.status === 404
    ? ({ ok: true, value: null, tag: null } as const)
    : found;
}

export function IdentityProvider() {
  const [changes, setChanges] = useState(0);
  const loading = useLoaded<Provider | null>(`identity provider ${changes}`, () => providerOf());
  const done = (): void => setChanges(changes + 1);
  return (
    <Card title="Identity provider" isStack aria-label="Identity provider">
      <There what="the identity provider" loading={loading}>
        {(provider) => (
          <>
            <p>
              {provider === null
                ? "No identity provider configured. People sign in with API keys."
                : `Set on ${time(provider.updatedAt)}.`}
            </p>
            {mayChange.value ? (
              <>
                <Addresses isSet={provider !== null} />
                <Edit {...{ provider }} onDone={done} />
                {provider !== null && <Remove onDone={done} />}
              </>
            ) : (
              <>
                <NotForRole what="can’t set the identity provider" permission="change" />
                {provider !== null && (
                  <CodeBlock title="Settings" text={JSON.stringify(provider, null, 2)} />
                )}
              </>
            )}
          </>
        )}
      </There>
    </Card>
  );
}
