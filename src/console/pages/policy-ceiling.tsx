import { useState } from "preact/hooks";
import { api, asked, type Schemas } from "../api.ts";
import { useLoaded } from "../load.ts";
import { JsonEdit } from "../parts/json-edit.tsx";
import { There } from "../parts/notice.tsx";

export function Ceiling({ tenant }: { tenant: string }) {
  const params = { path: { tenant } };
  const [saved, setSaved] = useState(0);
  const loading = useLoaded(`ceiling of ${tenant} ${saved}`, () =>
    asked(api.GET("/admin/v1/tenants/{tenant}/ceiling", { params })),
  );
  const putWith = (tag: string | null) => async (value: object) => {
    const changed = await asked(
      api.PUT("/admin/v1/tenants/{tenant}/ceiling", {
        params,
        headers: { "If-Match": tag ?? "*" },
        body: value as Schemas["Ceiling"],
      }),
    );
    if (changed.ok) setSaved(saved + 1);
    return changed;
  };
  return (
    <section class="card stack">
      <h2>Ceiling (operator)</h2>
      <p class="lead">Limits that the tenant’s policy can only narrow.</p>
      <There what="the ceiling" loading={loading}>
        {(ceiling, { tag }) => (
          <JsonEdit
            key={tag ?? ""}
            value={ceiling}
            submit="Replace ceiling"
            put={putWith(tag)}
            hint="Takes effect with the next request."
          />
        )}
      </There>
    </section>
  );
}
