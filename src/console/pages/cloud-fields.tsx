/** Members of a cloud's credential, with the titles of the cloud's own pages. */
import { useState } from "preact/hooks";
import type { Schemas } from "../api.ts";
import { Choice, Field, TextArea } from "../parts/form.tsx";

type Named = readonly (readonly [name: string, title: string])[];

const optional: ReadonlySet<string> = new Set(["geography", "sessionToken"]);

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

/** One deployment a line: `prod-chat openai/gpt-5-mini`, and `provisioned` after it. */
const deploymentsIn = (text: string): { id: string; model: string; provisioned?: true }[] =>
  text
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([id = "", model = "", billed]) =>
      id === "" ? [] : [{ id, model, ...(billed === "provisioned" && { provisioned: true }) }],
    );

export type CloudMembers = Omit<
  Schemas["CredentialPatch"],
  "name" | "apiKey" | "models" | "baseUrl" | "headers"
>;

interface Chosen {
  how: string;
  values: Readonly<Record<string, string>>;
}

/** The members of the API's input. */
function membersOf(form: CloudForm, { how, values }: Chosen): CloudMembers {
  const chosen = (named: Named = []) =>
    Object.fromEntries(
      named.flatMap(([name]) => {
        const value = values[name]?.trim();
        return value ? [[name, value]] : [];
      }),
    );
  const deployments = deploymentsIn(values["deployments"] ?? "");
  const auth = how === hostIdentity ? { hostIdentity: true } : chosen(form.auth[how]);
  return {
    ...chosen(form.place),
    ...(Object.keys(auth).length > 0 && {
      auth: auth as unknown as NonNullable<CloudMembers["auth"]>,
    }),
    ...(deployments.length > 0 && { deployments }),
  };
}

const secret = /^(apiKey|secretAccessKey|sessionToken|clientSecret|serviceAccount)$/;

interface CloudFieldsProps {
  provider: string;
  /** fields may stay empty, which changes nothing */
  isChange?: true;
  onInput: (members: CloudMembers) => void;
}

export function CloudFields({ provider, isChange, onInput }: CloudFieldsProps) {
  const form = forms[provider];
  const ways = Object.keys(form?.auth ?? {});
  const [chosen, setChosen] = useState<Chosen>({ how: "", values: {} });
  if (form === undefined) return null;
  const { values } = chosen;
  const how = ways.includes(chosen.how) ? chosen.how : (ways[0] ?? "");
  const change = (next: Partial<Chosen>): void => {
    const all = { how, values, ...next };
    setChosen(all);
    onInput(membersOf(form, all));
  };
  const set = (name: string) => (value: string) => change({ values: { ...values, [name]: value } });
  const field = ([name, title]: readonly [string, string], member: string) => (
    <Field
      key={name}
      {...{ title, name }}
      type={secret.test(name) ? "password" : "text"}
      value={values[name] ?? ""}
      onInput={set(name)}
      path={member}
      isRequired={isChange !== true && !optional.has(name)}
    />
  );
  return (
    <>
      {form.place.map((named) => field(named, named[0]))}
      {ways.length > 1 && (
        <Choice
          title="Authentication"
          name="how"
          value={how}
          options={ways.map((way) => [way, way] as const)}
          onInput={(way) => change({ how: way })}
          path="auth"
        />
      )}
      {form.auth[how]?.map((named) => field(named, `auth.${named[0]}`))}
      {provider === "azure" && (
        <TextArea
          title="Deployments"
          name="deployments"
          rows={3}
          isCode
          value={values["deployments"] ?? ""}
          onInput={set("deployments")}
          hint={
            <>
              One per line, with its base model: <code>prod-chat openai/gpt-5-mini</code>. Add{" "}
              <code>provisioned</code> if it is billed per hour.
            </>
          }
        />
      )}
    </>
  );
}
