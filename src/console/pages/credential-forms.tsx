import { isCloud } from "../../domain/models/cloud-place.ts";
import { api, type Schemas } from "../api.ts";
import { hasAddress, ProviderChoice } from "../models/provider-choice.tsx";
import { Fields, Form, useDraft, type FieldOf } from "../parts/form.tsx";
import { invalid } from "../problem.ts";
import { CloudFields, cloudMembersOf, noTexts } from "./cloud-fields.tsx";

type Credential = Schemas["Credential"];

const draftOf = (credential: Credential | undefined) => ({
  provider: credential?.provider ?? "anthropic",
  name: credential?.name ?? "main",
  apiKey: "",
  baseUrl: credential?.baseUrl ?? "",
  models: credential?.models ? JSON.stringify(credential.models, null, 1) : "",
  headers: "",
  withoutHeaders: false,
  cloud: noTexts,
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
          texts={cloud}
          change={(changes) => change({ cloud: { ...cloud, ...changes } })}
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
