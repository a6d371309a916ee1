/** Members of a cloud's credential, with the titles of the cloud's own pages. */
import type { Schemas } from "../api.ts";
import { Fields, type FieldOf } from "../parts/fields.tsx";

type Named = readonly (readonly [name: string, title: string])[];

interface CloudForm {
  place: Named;
  /** by how the credential authenticates */
  auth: Readonly<Record<string, Named>>;
}

const hostIdentity = "Identity of the router's machine";

const forms: Readonly<Record<string, CloudForm>> = {
  azure: {
    place: [["endpoint", "Endpoint"]],
    auth: {
      Key: [["apiKey", "KEY 1"]],
      "Microsoft Entra ID": [
        ["tenantId", "Directory (tenant) ID"],
        ["clientId", "Application (client) ID"],
        ["clientSecret", "Client secret value"],
      ],
      [hostIdentity]: [],
    },
  },
  bedrock: {
    place: [
      ["region", "Region"],
      ["geography", "Geography of inference profiles"],
    ],
    auth: {
      "Amazon Bedrock API key": [["apiKey", "API key"]],
      "Access key": [
        ["accessKeyId", "Access key ID"],
        ["secretAccessKey", "Secret access key"],
        ["sessionToken", "Session token"],
      ],
      "IAM role": [["roleArn", "Role ARN"]],
      [hostIdentity]: [],
    },
  },
  vertex: {
    place: [
      ["project", "Project ID"],
      ["location", "Location"],
    ],
    auth: { "Service account": [["serviceAccount", "Key file (JSON)"]], [hostIdentity]: [] },
  },
};
const noForm: CloudForm = { place: [], auth: {} };

const optional = /^(geography|sessionToken)$/;
const secret = /^(apiKey|secretAccessKey|sessionToken|clientSecret|serviceAccount)$/;

/** Texts by member. A missing one is empty. */
export type CloudTexts = Readonly<Record<string, string>>;

const wayIn = ({ auth }: CloudForm, { how = "" }: CloudTexts): string =>
  auth[how] === undefined ? (Object.keys(auth)[0] ?? "") : how;

const valuesOf = (named: Named = [], texts: CloudTexts): [string, string][] =>
  named.flatMap(([name]) => (texts[name]?.trim() ? [[name, texts[name].trim()]] : []));

/** One deployment a line: `prod-chat openai/gpt-5-mini`, and `provisioned` after it. */
const deploymentsIn = (text: string): { id: string; model: string; provisioned?: true }[] =>
  text
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
  const fieldsOf = (named: Named = []): FieldOf<CloudTexts>[] =>
    named.map(([name, title]) => ({
      name,
      title,
      type: secret.test(name) ? "password" : "text",
      isRequired: !isChange && !optional.test(name),
    }));
  const names = [...form.place, ...(form.auth[way] ?? [])].map(([name]) => [name, ""]);
  const draft = { deployments: "", ...Object.fromEntries(names), ...texts, how: way };
  return (
    <>
      <Fields of={fieldsOf(form.place)} {...{ draft, change }} />
      <Fields
        of={[{ name: "how", title: "Authentication", options: ways, path: "auth" }]}
        {...{ draft, change }}
      />
      <Fields of={fieldsOf(form.auth[way])} path="auth." {...{ draft, change }} />
      {provider === "azure" && (
        <Fields
          of={[
            {
              name: "deployments",
              title: "Deployments",
              rows: 3,
              isCode: true,
              hint: "One per line, with its base model: prod-chat openai/gpt-5-mini. Add provisioned if it is billed per hour.",
            },
          ]}
          {...{ draft, change }}
        />
      )}
    </>
  );
}
