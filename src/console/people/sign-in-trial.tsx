/** Tries the settings of the form in another tab, before they are saved. */
import { Button } from "../parts/card.tsx";
import { useEffect, useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { ProblemNotice } from "../parts/notice.tsx";
import type { Asked } from "../problem.ts";
import { trialChannel } from "./trial-channel.ts";

type Input = Schemas["IdentityProviderInput"];
type Begun = Schemas["BegunSignInTrial"] & { settings: Input };
type Trial = Schemas["SignInTrial"];

function Follows({ role, person, mayConnect }: Trial) {
  if (person === null) return <p>The token has no usable “sub” or “email”.</p>;
  return (
    <p>
      {role === null
        ? "The sign-in to the console would be refused: no value of the claim has a role."
        : `The role in the console would be ${role}.`}{" "}
      {mayConnect ? "The person may connect programs." : "The person may not connect programs."}
    </p>
  );
}

function Result({ trial }: { trial: Trial }) {
  const { fault, claims, role, person } = trial;
  const isGood = fault === null && role !== null && person !== null;
  return (
    <div class={`notice ${isGood ? "good" : "warn"}`} role="status">
      <strong>
        {fault ?? `The provider signed in ${person?.replace("person:", "") ?? "you"}.`}
      </strong>
      {claims !== null && (
        <>
          <Follows {...trial} />
          <CodeBlock title="Claims of the ID token" text={JSON.stringify(claims, null, 2)} />
        </>
      )}
      <p class="faint">Nothing was saved.</p>
    </div>
  );
}

export function SignInTrial({ settingsOf }: { settingsOf: () => Input }) {
  const [begun, setBegun] = useState<Begun | null>(null);
  const [found, setFound] = useState<Asked<Trial> | null>(null);
  const start = async (): Promise<void> => {
    setFound(null);
    const settings = settingsOf();
    const made = await api.POST("/admin/v1/tenants/{tenant}/sign-in/trial", {
      body: settings,
    });
    if (!made.ok) return setFound(made);
    setBegun({ ...made.value, settings });
    open(made.value.url, "_blank");
  };
  const finish = async ({ settings, pending }: Begun, query: string): Promise<void> => {
    setBegun(null);
    const body = { settings, pending, query };
    setFound(
      await api.POST("/admin/v1/tenants/{tenant}/sign-in/trial/result", {
        body,
      }),
    );
  };
  useEffect(() => {
    if (begun === null) return undefined;
    const channel = new BroadcastChannel(trialChannel);
    channel.addEventListener("message", ({ data }) => {
      const query = String(data);
      const isOurs = new URLSearchParams(query).get("state") === begun.pending.state;
      if (isOurs) void finish(begun, query);
    });
    return () => channel.close();
  }, [begun]);
  return (
    <>
      <p>
        <Button onClick={() => void start()}>Try the sign-in</Button>{" "}
        <span class="faint">
          Shows your token’s claims and the role that follows. Saves nothing.
        </span>
      </p>
      {begun !== null && (
        <p class="waiting" role="status">
          Sign in in the other tab. If none opened,{" "}
          <a href={begun.url} target="_blank">
            open the provider
          </a>
          .
        </p>
      )}
      {found !== null && !found.ok && <ProblemNotice problem={found.problem} />}
      {found?.ok === true && <Result trial={found.value} />}
    </>
  );
}
