import { api, type Schemas } from "../api.ts";
import { Fields, type FieldOf } from "../parts/fields.tsx";
import { Form, useDraft } from "../parts/form.tsx";
import type { Asked } from "../problem.ts";
import { later } from "../later.tsx";
import { hasAddress, isCloud, ProviderChoice } from "../models/provider-choice.tsx";
import type { CloudMembers } from "./cloud-fields.tsx";

type Credential = Schemas["Credential"];
type DeclaredModel = Schemas["DeclaredModel"];

const nothing = {
  provider: "anthropic",
  name: "main",
  apiKey: "",
  baseUrl: "",
  models: "",
  headers: "",
  withoutHeaders: false,
  members: {} as CloudMembers,
};
type Draft = typeof nothing;

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
function headersIn(draft: Pick<Draft, "headers" | "withoutHeaders">) {
  if (draft.withoutHeaders) return { headers: null };
  const lines = draft.headers.split("\n").filter((line) => line.trim() !== "");
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

interface PartProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
}

const headersField = (kept: readonly string[]): FieldOf<Draft> => ({
  name: "headers",
  title: "Headers",
  rows: 2,
  isCode: true,
  hint:
    kept.length > 0
      ? `Replace ${kept.join(", ")}. Leave blank to keep the current headers.`
      : "Secret headers for a gateway, one per line: cf-aig-authorization: Bearer <token>",
});

const nameField: FieldOf<Draft> = { name: "name", title: "Name", isRequired: true };
const keyField = (title: string, hint: string): FieldOf<Draft> => ({
  name: "apiKey",
  title,
  type: "password",
  hint,
});
const addressField = (hint: string): FieldOf<Draft> => ({
  name: "baseUrl",
  title: "Base URL",
  type: "url",
  hint,
});
const endpointFields = [
  addressField("OpenAI-compatible, such as http://127.0.0.1:11434/v1"),
  { name: "models", title: "Models", rows: 4, isCode: true, hint: modelsHint },
  headersField([]),
] as const satisfies readonly FieldOf<Draft>[];

function KeptHeaders({ kept, draft, change }: PartProps & { kept: readonly string[] }) {
  const fields: FieldOf<Draft>[] = [headersField(kept)];
  if (kept.length > 0) fields.push({ name: "withoutHeaders", title: "Remove the headers" });
  return (
    <Fields
      of={fields}
      draft={draft}
      change={(changes) => change({ headers: "", withoutHeaders: false, ...changes })}
    />
  );
}

const CloudPart = later(async () => (await import("./cloud-fields.tsx")).CloudFields);

interface FormProps {
  onDone: (made: Credential) => void;
  onClose?: () => void;
}

export function NewCredential({ onDone, onClose }: FormProps) {
  const { draft, change } = useDraft(nothing);
  const { provider, name, apiKey, baseUrl, members } = draft;
  const make = async () => {
    const declared = modelsIn(draft.models);
    if (declared === undefined) return notJson;
    const made = await api.POST("/admin/v1/tenants/{tenant}/credentials", {
      body: {
        provider,
        name,
        ...(isCloud(provider) ? members : { apiKey: apiKey.trim() }),
        ...(baseUrl !== "" && { baseUrl }),
        ...(declared !== null && { models: declared }),
        ...headersIn(draft),
      },
    });
    if (made.ok) onDone(made.value);
    return made;
  };
  return (
    <Form submit="Add credential" act={make} {...(onClose && { onCancel: onClose })}>
      <div class="grid">
        <ProviderChoice value={provider} onInput={(chosen) => change({ provider: chosen })} />
        <Fields of={[nameField]} {...{ draft, change }} />
      </div>
      {isCloud(provider) ? (
        <CloudPart
          key={provider}
          provider={provider}
          onInput={(chosen) => change({ members: chosen })}
        />
      ) : (
        <Fields
          of={[keyField("API key of the provider", "Encrypted immediately and never shown again.")]}
          {...{ draft, change }}
        />
      )}
      <details open={!hasAddress(provider)}>
        <summary>Custom endpoint</summary>
        <Fields of={endpointFields} {...{ draft, change }} />
      </details>
    </Form>
  );
}

export function ChangeCredential(props: FormProps & { credential: Credential }) {
  const { credential, onDone, onClose } = props;
  const { draft, change } = useDraft({
    ...nothing,
    name: credential.name,
    baseUrl: credential.baseUrl ?? "",
  });
  const { name, apiKey, baseUrl, members } = draft;
  const { provider, headerNames } = credential;
  const save = async () => {
    const changed = await api.PATCH("/admin/v1/tenants/{tenant}/credentials/{id}", {
      id: credential.id,
      body: {
        name,
        ...members,
        ...(apiKey !== "" && { apiKey: apiKey.trim() }),
        ...(baseUrl !== (credential.baseUrl ?? "") && { baseUrl: baseUrl || null }),
        ...headersIn(draft),
      },
    });
    if (changed.ok) onDone(changed.value);
    return changed;
  };
  return (
    <Form submit="Save" act={save} {...(onClose && { onCancel: onClose })}>
      <Fields of={[nameField]} {...{ draft, change }} />
      {isCloud(provider) ? (
        <CloudPart isChange provider={provider} onInput={(chosen) => change({ members: chosen })} />
      ) : (
        <Fields
          of={[
            keyField(
              "Another key",
              "Leave blank to keep the current key. Changing the origin below requires the key.",
            ),
          ]}
          {...{ draft, change }}
        />
      )}
      <Fields
        of={[addressField("Leave blank for the provider’s default.")]}
        {...{ draft, change }}
      />
      <KeptHeaders kept={headerNames} {...{ draft, change }} />
    </Form>
  );
}
