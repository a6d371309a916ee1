/** Members of a cloud's credential, with the titles of the cloud's own pages. */
import { useState } from "preact/hooks";
import type { Schemas } from "../api.ts";
import { Choice, Field, TextArea } from "../parts/form.tsx";

type Input = Schemas["CredentialInput"];
type Named = readonly (readonly [name: string, title: string])[];

const optional: ReadonlySet<string> = new Set(["geography", "sessionToken"]);

interface CloudForm {
  place: Named;
  /** by how the credential authenticates */
  auth: Readonly<Record<string, Named>>;
}

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
    },
  },
  vertex: {
    place: [
      ["project", "Project ID"],
      ["location", "Location"],
    ],
    auth: { "Service account": [["serviceAccount", "Key file (JSON)"]] },
  },
};

export const isCloudForm = (provider: string): boolean => Object.hasOwn(forms, provider);

/** One deployment a line: `prod-chat openai/gpt-5-mini`. */
const deploymentsIn = (text: string): { id: string; model: string }[] =>
  text
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([id = "", model = ""]) => (id === "" ? [] : [{ id, model }]));

export interface CloudInput {
  provider: string;
  how: string;
  values: Readonly<Record<string, string>>;
}

const waysOf = ({ provider }: CloudInput): string[] => Object.keys(forms[provider]?.auth ?? {});

export function useCloudInput(provider: string) {
  const [how, setHow] = useState("");
  const [values, setValues] = useState<CloudInput["values"]>({});
  const known = Object.keys(forms[provider]?.auth ?? {});
  return {
    input: { provider, how: known.includes(how) ? how : (known[0] ?? ""), values },
    setHow,
    set: (name: string, value: string) => setValues({ ...values, [name]: value.trim() }),
    setText: (name: string, value: string) => setValues({ ...values, [name]: value }),
  };
}

/** The members of the API's input. */
export function membersOf({ provider, how, values }: CloudInput): Partial<Input> {
  const form = forms[provider];
  if (form === undefined) return {};
  const chosen = (named: Named = []) =>
    Object.fromEntries(named.flatMap(([name]) => (values[name] ? [[name, values[name]]] : [])));
  const deployments = deploymentsIn(values["deployments"] ?? "");
  return {
    ...chosen(form.place),
    auth: chosen(form.auth[how]) as unknown as NonNullable<Input["auth"]>,
    ...(deployments.length > 0 && { deployments }),
  };
}

interface CloudFieldsProps extends ReturnType<typeof useCloudInput> {
  faultOf: (name: string) => string | null;
}

export function CloudFields({ input, setHow, set, setText, faultOf }: CloudFieldsProps) {
  const { provider, how, values } = input;
  const form = forms[provider];
  if (form === undefined) return null;
  const field = ([name, title]: readonly [string, string], member: string, isSecret: boolean) => (
    <Field
      key={name}
      {...{ title, name }}
      type={isSecret ? "password" : "text"}
      value={values[name] ?? ""}
      onInput={(value) => set(name, value)}
      fault={faultOf(member)}
      isRequired={!optional.has(name)}
    />
  );
  return (
    <>
      {form.place.map((named) => field(named, named[0], false))}
      {waysOf(input).length > 1 && (
        <Choice
          title="Authentication"
          name="how"
          value={how}
          options={waysOf(input).map((way) => [way, way] as const)}
          onInput={setHow}
          fault={faultOf("auth")}
        />
      )}
      {form.auth[how]?.map((named) => {
        const isSecret = /^(apiKey|secretAccessKey|sessionToken|clientSecret|serviceAccount)$/.test(
          named[0],
        );
        return field(named, `auth.${named[0]}`, isSecret);
      })}
      {provider === "azure" && (
        <TextArea
          title="Deployments"
          name="deployments"
          rows={3}
          isCode
          value={values["deployments"] ?? ""}
          onInput={(value) => setText("deployments", value)}
          hint={
            <>
              One per line, with its base model: <code>prod-chat openai/gpt-5-mini</code>
            </>
          }
        />
      )}
    </>
  );
}
