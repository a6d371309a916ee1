import { useEffect, useState } from "preact/hooks";
import { operatorPaidProviders } from "../../domain/limits/ceilings.ts";
import { api, type Schemas } from "../api.ts";
import { Edited } from "../parts/edited.tsx";
import { Check, useFaults, type Editing } from "../parts/form.tsx";
import { LimitFields } from "../parts/limits.tsx";
import { useSubjectNames } from "../parts/named.tsx";
import { Card, Page } from "../parts/page.tsx";
import { ownPath } from "../place.ts";
import { membersText } from "../policy-changes.ts";
import { isOperator } from "../session.ts";
import { withNames } from "./policy-raises.tsx";
import { sections } from "./policy-sections.tsx";
import { Trial } from "./policy-trial.tsx";

type Opened = Readonly<Record<string, boolean>>;
type SectionsProps = Editing<Schemas["Policy"]> & {
  opened: Opened;
  setOpened: (opened: Opened) => void;
};

/** The closed ones say what is set. An error of its members opens a section. */
function Sections({ opened, setOpened, ...its }: SectionsProps) {
  const faultOf = useFaults();
  const names = useSubjectNames(its.draft.raises !== undefined);
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), []);
  return (
    <div class="sections stack">
      {sections.map(({ title, paths, Shown }) => {
        const [id = ""] = paths;
        const isOpen = opened[id] === true || paths.some((path) => faultOf(path) !== null);
        return (
          <details
            key={id}
            id={id}
            class="card"
            open={isOpen}
            onToggle={({ currentTarget: { open } }) => setOpened({ ...opened, [id]: open })}
          >
            <summary>
              <h2>{title}</h2> <small>{membersText(withNames(its.draft, names), paths)}</small>
            </summary>
            {isOpen && (
              <div class="stack">
                <Shown {...its} />
              </div>
            )}
          </details>
        );
      })}
    </div>
  );
}

function CeilingFields({ draft, change }: Editing<Schemas["Ceiling"]>) {
  const { limits, providers = [] } = draft;
  const pay = (name: string, isOn: boolean): void => {
    const paid = isOn ? [...providers, name] : providers.filter((each) => each !== name);
    change({ providers: paid.length === 0 ? undefined : paid });
  };
  return (
    <>
      <LimitFields limits={limits} onInput={(changed = {}) => change({ limits: changed })} />
      {[...operatorPaidProviders].map((name) => (
        <Check
          key={name}
          title={`May use ${name}, at your cost`}
          name={name}
          value={providers.includes(name)}
          onInput={(isOn) => pay(name, isOn)}
        />
      ))}
    </>
  );
}

const policyPath = "/admin/v1/tenants/{tenant}/policy";
const ceilingPath = "/admin/v1/tenants/{tenant}/ceiling";

export function PolicyPage() {
  const [opened, setOpened] = useState<Opened>({ [location.hash.slice(1) || "limits"]: true });
  return (
    <Page
      title="Policy"
      lead="What this tenant may spend and which models it may use. Changes take effect with the next request."
      actions={
        <a class="button quiet" href={`${ownPath("/events")}?action=policy.`}>
          Policy history
        </a>
      }
    >
      <div class="stack">
        <Edited
          what="policy"
          submit="Save changes"
          hint="The whole policy. Omitted members return to their defaults. All are in the API reference."
          read={() => api.GET(policyPath)}
          write={({ patch, tag }) => api.PATCH(policyPath, { ifMatch: tag, body: patch })}
          beside={(policy) => <Trial policy={policy} />}
        >
          {(its) => <Sections {...{ ...its, opened, setOpened }} />}
        </Edited>
        {isOperator.value && (
          <Card title="Ceiling (operator)" isStack aria-label="Ceiling">
            <p class="lead">Limits that the tenant’s policy can only narrow.</p>
            <Edited
              what="ceiling"
              submit="Save ceiling"
              hint="The whole ceiling. Takes effect with the next request."
              read={() => api.GET(ceilingPath)}
              write={({ value, tag }) => api.PUT(ceilingPath, { ifMatch: tag, body: value })}
            >
              {(its) => <CeilingFields {...its} />}
            </Edited>
          </Card>
        )}
      </div>
    </Page>
  );
}
