import { useState } from "preact/hooks";
import { operatorPaidProviders } from "../../domain/limits/ceilings.ts";
import { api, type Schemas } from "../api.ts";
import { useRead } from "../load.ts";
import { Check, Form, useDraft } from "../parts/form.tsx";
import { JsonEdit } from "../parts/json-edit.tsx";
import { LimitFields } from "../parts/limits.tsx";
import { Button, There } from "../parts/page.tsx";
import type { Asked } from "../problem.ts";

type CeilingValue = Schemas["Ceiling"];
interface EditProps {
  ceiling: CeilingValue;
  put: (ceiling: object) => Promise<Asked<unknown>>;
  onDone: () => void;
}

function CeilingForm({ ceiling, put, onDone }: EditProps) {
  const { draft, change } = useDraft(ceiling);
  const providers = draft.providers ?? [];
  const pay = (name: string, isOn: boolean): void => {
    const paid = [...providers.filter((each) => each !== name), ...(isOn ? [name] : [])];
    change({ providers: paid.length === 0 ? undefined : paid });
  };
  return (
    <Form submit="Save ceiling" act={() => put(draft)} onDone={onDone}>
      <LimitFields limits={draft.limits} onInput={(limits = {}) => change({ limits })} />
      {[...operatorPaidProviders].map((name) => (
        <Check
          key={name}
          title={`May use ${name}, at your cost`}
          name={name}
          value={providers.includes(name)}
          onInput={(isOn) => pay(name, isOn)}
        />
      ))}
    </Form>
  );
}

export function Ceiling() {
  const [isSaved, setSaved] = useState(false);
  const [isJson, setJson] = useState(false);
  const path = "/admin/v1/tenants/{tenant}/ceiling";
  const loading = useRead(path);
  const onDone = (): void => {
    setSaved(true);
    void loading.again();
  };
  return (
    <section class="card stack" aria-label="Ceiling">
      <header class="page-head">
        <h2>Ceiling (operator)</h2>
        <Button class="quiet" aria-pressed={isJson} onClick={() => setJson(!isJson)}>
          {isJson ? "Show ceiling as form" : "Show ceiling as JSON"}
        </Button>
      </header>
      <p class="lead">Limits that the tenant’s policy can only narrow.</p>
      {isSaved && (
        <p class="notice good" role="status">
          Saved.
        </p>
      )}
      <There what="the ceiling" loading={loading}>
        {(ceiling, { tag }) => {
          const put = (body: object) => api.PUT(path, { ifMatch: tag, body: body as CeilingValue });
          const hint = "Takes effect with the next request.";
          return isJson ? (
            <JsonEdit
              key={tag}
              value={ceiling}
              submit="Replace ceiling"
              {...{ put, onDone, hint }}
            />
          ) : (
            <CeilingForm key={tag} {...{ ceiling, put, onDone }} />
          );
        }}
      </There>
    </section>
  );
}
