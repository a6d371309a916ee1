import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { Check, Field, Form, TextArea } from "../parts/form.tsx";
import type { Asked } from "../problem.ts";
import { later } from "../later.tsx";
import { hasAddress, isCloud, ProviderChoice } from "../models/provider-choice.tsx";
import type { CloudMembers } from "./cloud-fields.tsx";

type Credential = Schemas["Credential"];
type DeclaredModel = Schemas["DeclaredModel"];

const modelsHint = (
  <>
    A JSON list, for a custom endpoint: <code>{'[{"id": "llama3.3"}]'}</code>. Prices and limits
    that you leave out are unknown, or those of <code>"like": "openai/gpt-5-mini"</code>.
  </>
);

function modelsIn(text: string): DeclaredModel[] | null | undefined {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text) as DeclaredModel[];
  } catch {
    return undefined;
  }
}

/** One header per line: `cf-aig-authorization: Bearer …`. */
function headersIn(text: string | null): { headers?: Record<string, string> | null } {
  if (text === null) return { headers: null };
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const entries = lines.map((line) => {
    const [name = "", ...value] = line.split(":");
    return [name.trim(), value.join(":").trim()];
  });
  return lines.length === 0 ? {} : { headers: Object.fromEntries(entries) };
}

const notJson: Asked<never> = {
  ok: false,
  problem: {
    status: 0,
    reason: "invalid_params",
    title: "Not JSON",
    detail: "Enter the models as a JSON list.",
    path: "models",
  },
};

interface HeadersFieldProps {
  /** `null` removes them */
  value: string | null;
  onInput: (value: string | null) => void;
  headerNames: readonly string[];
}

function HeadersField({ value, onInput, headerNames }: HeadersFieldProps) {
  const isSet = headerNames.length > 0;
  return (
    <>
      <TextArea
        title="Headers"
        name="headers"
        rows={2}
        isCode
        value={value ?? ""}
        onInput={onInput}
        hint={
          isSet
            ? `Replace ${headerNames.join(", ")}. Leave blank to keep the current headers.`
            : "Secret headers for a gateway, one per line: cf-aig-authorization: Bearer <token>"
        }
      />
      {isSet && (
        <Check
          title="Remove the headers"
          name="withoutHeaders"
          value={value === null}
          onInput={(isRemoved) => onInput(isRemoved ? null : "")}
        />
      )}
    </>
  );
}

interface OwnEndpointProps {
  isOpen: boolean;
  baseUrl: string;
  setBaseUrl: (value: string) => void;
  models: string;
  setModels: (value: string) => void;
  headers: string | null;
  setHeaders: (value: string | null) => void;
}

function OwnEndpoint(props: OwnEndpointProps) {
  const { isOpen, baseUrl, setBaseUrl, models, setModels, headers, setHeaders } = props;
  return (
    <details open={isOpen}>
      <summary>Custom endpoint</summary>
      <Field
        title="Base URL"
        name="baseUrl"
        type="url"
        value={baseUrl}
        onInput={setBaseUrl}
        hint="OpenAI-compatible, such as http://127.0.0.1:11434/v1"
      />
      <TextArea
        title="Models"
        name="models"
        rows={4}
        isCode
        value={models}
        onInput={setModels}
        hint={modelsHint}
      />
      <HeadersField value={headers} onInput={setHeaders} headerNames={[]} />
    </details>
  );
}

const CloudPart = later(async () => (await import("./cloud-fields.tsx")).CloudFields);

interface FormProps {
  tenant: string;
  onDone: (made: Credential) => void;
  onClose?: () => void;
}

export function NewCredential({ tenant, onDone, onClose }: FormProps) {
  const [provider, setProvider] = useState("anthropic");
  const [name, setName] = useState("main");
  const [apiKey, setApiKey] = useState("");
  const [baseUrl, setBaseUrl] = useState("");
  const [models, setModels] = useState("");
  const [headers, setHeaders] = useState<string | null>("");
  const [members, setMembers] = useState<CloudMembers>({});
  const make = async () => {
    const declared = modelsIn(models);
    if (declared === undefined) return notJson;
    const made = await asked(
      api.POST("/admin/v1/tenants/{tenant}/credentials", {
        params: { path: { tenant } },
        body: {
          provider,
          name,
          ...(isCloud(provider) ? members : { apiKey: apiKey.trim() }),
          ...(baseUrl !== "" && { baseUrl }),
          ...(declared !== null && { models: declared }),
          ...headersIn(headers),
        },
      }),
    );
    if (made.ok) onDone(made.value);
    return made;
  };
  return (
    <Form submit="Add credential" act={make} {...(onClose && { onCancel: onClose })}>
      <div class="grid">
        <ProviderChoice value={provider} onInput={setProvider} />
        <Field title="Name" name="name" value={name} onInput={setName} isRequired />
      </div>
      {isCloud(provider) ? (
        <CloudPart key={provider} provider={provider} onInput={setMembers} />
      ) : (
        <Field
          title="API key of the provider"
          name="apiKey"
          type="password"
          value={apiKey}
          onInput={setApiKey}
          hint="Encrypted immediately and never shown again."
        />
      )}
      <OwnEndpoint
        isOpen={!hasAddress(provider)}
        {...{ baseUrl, setBaseUrl, models, setModels, headers, setHeaders }}
      />
    </Form>
  );
}

export function ChangeCredential(props: FormProps & { credential: Credential }) {
  const { tenant, credential, onDone, onClose } = props;
  const [name, setName] = useState(credential.name);
  const [apiKey, setApiKey] = useState("");
  const [baseUrl, setBaseUrl] = useState(credential.baseUrl ?? "");
  const [headers, setHeaders] = useState<string | null>("");
  const [members, setMembers] = useState<CloudMembers>({});
  const { provider, headerNames } = credential;
  const change = async () => {
    const changed = await asked(
      api.PATCH("/admin/v1/tenants/{tenant}/credentials/{id}", {
        params: { path: { tenant, id: credential.id } },
        body: {
          name,
          ...members,
          ...(apiKey !== "" && { apiKey: apiKey.trim() }),
          ...(baseUrl !== (credential.baseUrl ?? "") && { baseUrl: baseUrl || null }),
          ...headersIn(headers),
        },
      }),
    );
    if (changed.ok) onDone(changed.value);
    return changed;
  };
  return (
    <Form submit="Save" act={change} {...(onClose && { onCancel: onClose })}>
      <Field title="Name" name="name" value={name} onInput={setName} isRequired />
      {isCloud(provider) ? (
        <CloudPart isChange provider={provider} onInput={setMembers} />
      ) : (
        <Field
          title="Another key"
          name="apiKey"
          type="password"
          value={apiKey}
          onInput={setApiKey}
          hint="Leave blank to keep the current key. Changing the origin below requires the key."
        />
      )}
      <Field
        title="Base URL"
        name="baseUrl"
        type="url"
        value={baseUrl}
        onInput={setBaseUrl}
        hint="Leave blank for the provider’s default."
      />
      <HeadersField value={headers} onInput={setHeaders} headerNames={headerNames} />
    </Form>
  );
}
