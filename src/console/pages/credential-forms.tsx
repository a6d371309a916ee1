import { parsedJson } from "../../domain/json.ts";
import { mergePatchOf } from "../../domain/merge-patch.ts";
import { api, type Schemas } from "../api.ts";
import { valueAt, withValueAt } from "../members.ts";
import { hasAddress, ProviderChoice } from "../models/provider-choice.tsx";
import { Check, Fields, Form, useDraft, type FieldOf, type Kind } from "../parts/form.tsx";

type Credential = Schemas["Credential"];
type Draft = Omit<Schemas["CredentialInput"], "auth"> &
  Pick<Credential, "authKind"> & { auth?: object };
type DraftField = FieldOf<Draft>;

type Deployment = NonNullable<Draft["deployments"]>[number];
const linesIn = (text: string): string[] => text.split("\n").flatMap((each) => each.trim() || []);

/** A line for each, for example `prod-chat openai/gpt-5-mini`. */
const deploymentLines: Kind = [
  (all: Deployment[]) =>
    all.map((its) => `${its.id} ${its.model}${its.provisioned ? " provisioned" : ""}`).join("\n"),
  (text) =>
    linesIn(text).map((line) => {
      const [id, model = "", billed] = line.split(/\s+/);
      return { id, model, ...(billed === "provisioned" && { provisioned: true }) };
    }),
];
/** Stored ones aren't shown. */
const headerLines: Kind = [
  () => "",
  (text) =>
    Object.fromEntries(
      linesIn(text).map((line) => {
        const [name = "", ...value] = line.split(":");
        return [name.trim(), value.join(":").trim()];
      }),
    ),
];
/** The API says what is wrong with other texts. */
const json: Kind = [(value) => JSON.stringify(value, null, 1), (text) => parsedJson(text) ?? text];

/** by path */
type Titles = Readonly<Record<string, string>>;
/** `auth` by `authKind` */
type Cloud = { place: Titles; auth: Readonly<Record<string, readonly [way: string, Titles]>> };

const hostIdentity = ["Identity of the router's machine", {}] as const;
const clouds: Readonly<Record<string, Cloud>> = {
  azure: {
    place: { endpoint: "Endpoint", deployments: "Deployments" },
    auth: {
      apiKey: ["Key", { "auth.apiKey": "KEY 1" }],
      clientSecret: [
        "Microsoft Entra ID",
        {
          "auth.tenantId": "Directory (tenant) ID",
          "auth.clientId": "Application (client) ID",
          "auth.clientSecret": "Client secret value",
        },
      ],
      hostIdentity,
    },
  },
  bedrock: {
    place: { region: "Region", geography: "Geography of inference profiles" },
    auth: {
      apiKey: ["Amazon Bedrock API key", { "auth.apiKey": "API key" }],
      accessKey: [
        "Access key",
        {
          "auth.accessKeyId": "Access key ID",
          "auth.secretAccessKey": "Secret access key",
          "auth.sessionToken": "Session token",
        },
      ],
      role: ["IAM role", { "auth.roleArn": "Role ARN" }],
      hostIdentity,
    },
  },
  vertex: {
    place: { project: "Project ID", location: "Location" },
    auth: {
      serviceAccount: ["Service account", { "auth.serviceAccount": "Key file (JSON)" }],
      hostIdentity,
    },
  },
};
const isOptional = /^(geography|deployments|auth\.sessionToken)$/;
const isSecret = /(Key|Secret|Token|Account)$/;

const deployments = {
  as: deploymentLines,
  rows: 3,
  isCode: true,
  hint: "One per line, with its base model: prod-chat openai/gpt-5-mini. Add provisioned if it is billed per hour.",
} as const;

const cloudFields = (titles: Titles = {}): DraftField[] =>
  (Object.entries(titles) as [DraftField["name"], string][]).map(([name, title]) => ({
    name,
    title,
    isRequired: !isOptional.test(name),
    ...(isSecret.test(name) && { type: "password" }),
    ...(name === "deployments" && deployments),
  }));

const keyField = (isChange: boolean): DraftField => ({
  name: "apiKey",
  title: isChange ? "Another key" : "API key of the provider",
  type: "password",
  hint: isChange
    ? "Leave blank to keep the current key. A base URL with another origin requires the key."
    : "Encrypted immediately and never shown again.",
});

/** In a change, secrets may stay empty, which changes nothing. */
function fieldsOf({ provider, authKind = "apiKey" }: Draft, isChange: boolean): DraftField[] {
  const cloud = clouds[provider];
  if (cloud === undefined) return [keyField(isChange)];
  const ways = Object.entries(cloud.auth).map(([kind, [way]]) => [kind, way] as const);
  const secrets = cloudFields(cloud.auth[authKind]?.[1]);
  return [
    ...cloudFields(cloud.place),
    { name: "authKind", path: "auth", title: "Authentication", options: ways },
    ...secrets.map((field) => (isChange ? { ...field, isRequired: false } : field)),
  ];
}

const endpointFields = (kept: readonly string[]): readonly DraftField[] => [
  {
    name: "baseUrl",
    title: "Base URL",
    type: "url",
    hint: "OpenAI-compatible, for example http://127.0.0.1:11434/v1. Leave blank for the provider’s own.",
  },
  {
    name: "models",
    title: "Models",
    as: json,
    rows: 4,
    isCode: true,
    hint: (
      <>
        A JSON list, for a custom endpoint: <code>{'[{"id": "llama3.3"}]'}</code>. Prices and limits
        that you leave out are unknown, or those of <code>"like": "openai/gpt-5-mini"</code>.
      </>
    ),
  },
  {
    name: "headers",
    title: "Headers",
    as: headerLines,
    rows: 2,
    isCode: true,
    hint:
      kept.length > 0
        ? `Replace ${kept.join(", ")}. Leave blank to keep the current headers.`
        : "Secret headers for a gateway, one per line: cf-aig-authorization: Bearer <token>",
  },
];

const nameField = { name: "name", title: "Name", isRequired: true } as const;

/** What was changed of the shown members. */
function bodyOf(shown: readonly DraftField[], patch: object): Schemas["CredentialPatch"] {
  let body: Readonly<Record<string, unknown>> = {};
  for (const { name } of shown) {
    const value = valueAt(patch, name);
    body = withValueAt(body, name, typeof value === "string" ? value.trim() : value);
  }
  const { authKind, ...members } = body;
  return authKind === "hostIdentity" ? { ...members, auth: { hostIdentity: true } } : members;
}

type FormProps = {
  /** absent: a new one */
  credential?: Credential | undefined;
  onDone: (saved: Credential) => void;
  onClose?: () => void;
};

export function CredentialForm({ credential, onDone, onClose }: FormProps) {
  const isChange = credential !== undefined;
  const its = useDraft<Draft>({ provider: "anthropic", name: "main", ...credential });
  const { draft, change } = its;
  const { provider, headers } = draft;
  const fields = fieldsOf(draft, isChange);
  const kept = credential?.headerNames ?? [];
  const ofEndpoint = endpointFields(kept);
  const save = () => {
    const patch = mergePatchOf(credential ?? {}, draft);
    const body = {
      ...bodyOf([nameField, ...fields, ...ofEndpoint], patch),
      ...(headers === null && { headers }),
    };
    const path = "/admin/v1/tenants/{tenant}/credentials";
    return isChange
      ? api.PATCH(`${path}/{id}`, { id: credential.id, body })
      : api.POST(path, { body: { name: draft.name, ...body, provider } });
  };
  const choose = (chosen: string): void => {
    const [authKind] = Object.keys(clouds[chosen]?.auth ?? {});
    change({ provider: chosen, authKind: authKind as Draft["authKind"] });
  };
  return (
    <Form
      submit={isChange ? "Save changes" : "Add credential"}
      act={save}
      {...{ onDone }}
      onCancel={onClose}
    >
      <div class="grid">
        {!isChange && <ProviderChoice value={provider} onInput={choose} />}
        <Fields of={[nameField]} {...its} />
      </div>
      <Fields of={fields} {...its} />
      <details open={!hasAddress(provider) || Boolean(credential?.baseUrl)}>
        <summary>Custom endpoint</summary>
        <div class="stack">
          <Fields of={ofEndpoint} {...its} />
          {kept.length > 0 && (
            <Check
              title="Remove the headers"
              name="withoutHeaders"
              value={headers === null}
              onInput={(removes) => change({ headers: removes ? null : undefined })}
            />
          )}
        </div>
      </details>
    </Form>
  );
}
