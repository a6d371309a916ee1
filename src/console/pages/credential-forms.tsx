import { isCloud } from "../../domain/models/cloud-place.ts";
import { api, type Schemas } from "../api.ts";
import { hasAddress, ProviderChoice } from "../models/provider-choice.tsx";
import { Fields, Form, useDraft, type Editing, type FieldOf } from "../parts/form.tsx";
import { invalid } from "../problem.ts";

type Credential = Schemas["Credential"];

/** by the API's member */
type CloudTexts = Readonly<Record<string, string>>;
type CloudField = FieldOf<CloudTexts>;

const text = (name: string, title: string): CloudField => ({ name, title, isRequired: true });
const secret = (name: string, title: string): CloudField => ({
  ...text(name, title),
  type: "password",
});

const hostIdentity = "Identity of the router's machine";

interface CloudForm {
  place: readonly CloudField[];
  /** by how the credential authenticates */
  auth: Readonly<Record<string, readonly CloudField[]>>;
}

const forms: Readonly<Record<string, CloudForm>> = {
  azure: {
    place: [
      text("endpoint", "Endpoint"),
      {
        name: "deployments",
        title: "Deployments",
        rows: 3,
        isCode: true,
        hint: "One per line, with its base model: prod-chat openai/gpt-5-mini. Add provisioned if it is billed per hour.",
      },
    ],
    auth: {
      Key: [secret("apiKey", "KEY 1")],
      "Microsoft Entra ID": [
        text("tenantId", "Directory (tenant) ID"),
        text("clientId", "Application (client) ID"),
        secret("clientSecret", "Client secret value"),
      ],
      [hostIdentity]: [],
    },
  },
  bedrock: {
    place: [
      text("region", "Region"),
      { name: "geography", title: "Geography of inference profiles" },
    ],
    auth: {
      "Amazon Bedrock API key": [secret("apiKey", "API key")],
      "Access key": [
        text("accessKeyId", "Access key ID"),
        secret("secretAccessKey", "Secret access key"),
        { name: "sessionToken", title: "Session token", type: "password" },
      ],
      "IAM role": [text("roleArn", "Role ARN")],
      [hostIdentity]: [],
    },
  },
  vertex: {
    place: [text("project", "Project ID"), text("location", "Location")],
    auth: { "Service account": [secret("serviceAccount", "Key file (JSON)")], [hostIdentity]: [] },
  },
};
const noForm: CloudForm = { place: [], auth: {} };

const wayIn = ({ auth }: CloudForm, { how = "" }: CloudTexts): string =>
  auth[how] === undefined ? (Object.keys(auth)[0] ?? "") : how;

const valuesOf = (fields: CloudForm["place"] = [], texts: CloudTexts): [string, unknown][] =>
  fields
    .map(({ name }): [string, string] => [name, texts[name]?.trim() ?? ""])
    .filter(([, value]) => value !== "");

/** One deployment a line: `prod-chat openai/gpt-5-mini`, and `provisioned` after it. */
const deploymentsIn = (lines: string): { id: string; model: string; provisioned?: true }[] =>
  lines
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([id = "", model = "", billed]) =>
      id === "" ? [] : [{ id, model, ...(billed === "provisioned" && { provisioned: true }) }],
    );

/** The members of the API's input. */
function cloudMembersOf(provider: string, texts: CloudTexts): Schemas["CredentialPatch"] {
  const form = forms[provider] ?? noForm;
  const way = wayIn(form, texts);
  const auth = way === hostIdentity ? [["hostIdentity", true]] : valuesOf(form.auth[way], texts);
  const deployments = deploymentsIn(texts["deployments"] ?? "");
  return {
    ...Object.fromEntries(valuesOf(form.place, texts)),
    ...(auth.length > 0 && { auth: Object.fromEntries(auth) as Schemas["CloudAuth"] }),
    ...(deployments.length > 0 && { deployments }),
  };
}

type CloudFieldsProps = { provider: string; isChange: boolean } & Editing<CloudTexts>;

/** In a change, fields may stay empty, which changes nothing. */
function CloudFields({ provider, draft: texts, change, isChange }: CloudFieldsProps) {
  const form = forms[provider] ?? noForm;
  const way = wayIn(form, texts);
  const ways = Object.keys(form.auth).map((each) => [each, each] as const);
  const its = { draft: { ...texts, how: way }, change };
  const shown = (fields: CloudForm["place"] = []): CloudForm["place"] =>
    isChange ? fields.map((field) => ({ ...field, isRequired: false })) : fields;
  return (
    <>
      <Fields of={shown(form.place)} {...its} />
      <Fields
        of={[{ name: "how", title: "Authentication", options: ways, path: "auth" }]}
        {...its}
      />
      <Fields of={shown(form.auth[way])} path="auth." {...its} />
    </>
  );
}

const draftOf = (credential: Credential | undefined) => ({
  provider: credential?.provider ?? "anthropic",
  name: credential?.name ?? "main",
  apiKey: "",
  baseUrl: credential?.baseUrl ?? "",
  models: credential?.models ? JSON.stringify(credential.models, null, 1) : "",
  headers: "",
  withoutHeaders: false,
  cloud: {} as CloudTexts,
});
type Draft = ReturnType<typeof draftOf>;

/** One header per line: `cf-aig-authorization: Bearer …`. */
function headersIn({ headers, withoutHeaders }: Draft) {
  if (withoutHeaders) return { headers: null };
  const lines = headers.split("\n").filter((line) => line.trim() !== "");
  const entries = lines.map((line) => {
    const [name = "", ...value] = line.split(":");
    return [name.trim(), value.join(":").trim()];
  });
  return lines.length === 0 ? {} : { headers: Object.fromEntries(entries) };
}

const notJson = invalid({
  title: "Not JSON",
  detail: "Enter the models as a JSON list.",
  path: "models",
});

const nameField = { name: "name", title: "Name", isRequired: true } as const;
const keyField = (isChange: boolean): FieldOf<Draft> => ({
  name: "apiKey",
  title: isChange ? "Another key" : "API key of the provider",
  type: "password",
  hint: isChange
    ? "Leave blank to keep the current key. A base URL with another origin requires the key."
    : "Encrypted immediately and never shown again.",
});

const endpointFields = (kept: readonly string[]): FieldOf<Draft>[] => [
  {
    name: "baseUrl",
    title: "Base URL",
    type: "url",
    hint: "OpenAI-compatible, for example http://127.0.0.1:11434/v1. Leave blank for the provider’s own.",
  },
  {
    name: "models",
    title: "Models",
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
    rows: 2,
    isCode: true,
    hint:
      kept.length > 0
        ? `Replace ${kept.join(", ")}. Leave blank to keep the current headers.`
        : "Secret headers for a gateway, one per line: cf-aig-authorization: Bearer <token>",
  },
  ...(kept.length > 0 ? [{ name: "withoutHeaders", title: "Remove the headers" } as const] : []),
];

interface FormProps {
  /** absent: a new one */
  credential?: Credential;
  onDone: (saved: Credential) => void;
  onClose?: (() => void) | undefined;
}

export function CredentialForm({ credential, onDone, onClose }: FormProps) {
  const before = draftOf(credential);
  const { draft, change } = useDraft(before);
  const { provider, name, apiKey, baseUrl, models, cloud } = draft;
  const isChange = credential !== undefined;
  const save = async () => {
    let declared: Schemas["DeclaredModel"][] | null = null;
    try {
      if (models.trim() !== "") declared = JSON.parse(models) as Schemas["DeclaredModel"][];
    } catch {
      return notJson;
    }
    const body = {
      name,
      ...(isCloud(provider)
        ? cloudMembersOf(provider, cloud)
        : (!isChange || apiKey !== "") && { apiKey: apiKey.trim() }),
      ...(baseUrl !== before.baseUrl && { baseUrl: baseUrl || null }),
      ...(models !== before.models && { models: declared }),
      ...headersIn(draft),
    };
    const path = "/admin/v1/tenants/{tenant}/credentials";
    return isChange
      ? api.PATCH(`${path}/{id}`, { id: credential.id, body })
      : api.POST(path, { body: { ...body, provider } });
  };
  return (
    <Form
      submit={isChange ? "Save changes" : "Add credential"}
      act={save}
      onDone={onDone}
      onCancel={onClose}
    >
      <div class="grid">
        {!isChange && (
          <ProviderChoice value={provider} onInput={(chosen) => change({ provider: chosen })} />
        )}
        <Fields of={[nameField]} {...{ draft, change }} />
      </div>
      {isCloud(provider) ? (
        <CloudFields
          {...{ provider, isChange }}
          draft={cloud}
          change={(changes) => change({ cloud: { ...cloud, ...changes } as CloudTexts })}
        />
      ) : (
        <Fields of={[keyField(isChange)]} {...{ draft, change }} />
      )}
      <details open={!hasAddress(provider) || before.baseUrl !== ""}>
        <summary>Custom endpoint</summary>
        <div class="stack">
          <Fields of={endpointFields(credential?.headerNames ?? [])} {...{ draft, change }} />
        </div>
      </details>
    </Form>
  );
}
