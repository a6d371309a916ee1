import { useState } from "preact/hooks";
import { operatorPaidProviders } from "../../domain/limits/ceilings.ts";
import { api, type Schemas } from "../api.ts";
import { useLoaded } from "../load.ts";
import { Check, Form } from "../parts/form.tsx";
import { JsonEdit } from "../parts/json-edit.tsx";
import { LimitFields, limitsOf, textsOf } from "../parts/limits.tsx";
import { Button, There } from "../parts/page.tsx";
import type { Asked } from "../problem.ts";

type Put = (ceiling: object) => Promise<Asked<unknown>>;

function CeilingForm({ ceiling, put }: { ceiling: Schemas["Ceiling"]; put: Put }) {
  const [limits, setLimits] = useState(textsOf(ceiling.limits));
  const [providers, setProviders] = useState(ceiling.providers ?? []);
  const its = { ...ceiling, limits: limitsOf(limits) };
  return (
    <Form
      submit="Save ceiling"
      act={() => put(providers.length === 0 ? its : { ...its, providers })}
    >
      <LimitFields texts={limits} onInput={setLimits} />
      {[...operatorPaidProviders].map((name) => (
        <Check
          key={name}
          title={`May use ${name}, at your cost`}
          name={name}
          value={providers.includes(name)}
          onInput={(isOn) =>
            setProviders([...providers.filter((each) => each !== name), ...(isOn ? [name] : [])])
          }
        />
      ))}
    </Form>
  );
}

export function Ceiling() {
  const [saved, setSaved] = useState(0);
  const [isJson, setJson] = useState(false);
  const loading = useLoaded(`ceiling ${saved}`, () =>
    api.GET("/admin/v1/tenants/{tenant}/ceiling"),
  );
  const putWith = (tag: string | null) => async (value: object) => {
    const changed = await api.PUT("/admin/v1/tenants/{tenant}/ceiling", {
      ifMatch: tag,
      body: value as Schemas["Ceiling"],
    });
    if (changed.ok) setSaved(saved + 1);
    return changed;
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
      {saved > 0 && (
        <p class="notice good" role="status">
          Saved.
        </p>
      )}
      <There what="the ceiling" loading={loading}>
        {(ceiling, { tag }) =>
          isJson ? (
            <JsonEdit
              key={tag ?? ""}
              value={ceiling}
              submit="Replace ceiling"
              put={putWith(tag)}
              hint="Takes effect with the next request."
            />
          ) : (
            <CeilingForm key={tag ?? ""} ceiling={ceiling} put={putWith(tag)} />
          )
        }
      </There>
    </section>
  );
}
