/** Members of a cloud's credential, with the titles of the cloud's own pages. */
import type { Schemas } from "../api.ts";
import { Fields, type FieldOf } from "../parts/form.tsx";

/** by the API's member */
export type CloudTexts = Readonly<Record<string, string>>;
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

export const noTexts: CloudTexts = Object.fromEntries(
  Object.values(forms)
    .flatMap(({ place, auth }) => [...place, ...Object.values(auth).flat()])
    .map(({ name }) => [name, ""]),
);

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
export function cloudMembersOf(provider: string, texts: CloudTexts): Schemas["CredentialPatch"] {
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

interface CloudFieldsProps {
  provider: string;
  texts: CloudTexts;
  change: (changes: CloudTexts) => void;
  /** fields may stay empty, which changes nothing */
  isChange: boolean;
}

export function CloudFields({ provider, texts, change, isChange }: CloudFieldsProps) {
  const form = forms[provider] ?? noForm;
  const way = wayIn(form, texts);
  const ways = Object.keys(form.auth).map((each) => [each, each] as const);
  const its = {
    draft: { ...texts, how: way },
    change: (changes: Partial<CloudTexts>) => change(changes as CloudTexts),
  };
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
