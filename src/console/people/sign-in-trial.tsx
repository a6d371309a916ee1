/** Tries the settings of the form in another tab, before they are saved. */
import { useEffect, useState } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { CodeBlock } from "../parts/copy.tsx";
import { useReport } from "../parts/form.tsx";
import { Button } from "../parts/page.tsx";
import { consolePath } from "../place.ts";

type Settings = Schemas["IdentityProviderInput"];
type Begun = Schemas["BegunSignInTrial"] & { settings: Settings };
type Trial = Schemas["SignInTrial"];

function sentenceFor({ role, person, mayConnect }: Trial): string {
  if (person === null) return "The token has no usable “sub” or “email”.";
  const console =
    role === null
      ? "The sign-in to the console would be refused: no value of the claim has a role."
      : `The role in the console would be ${role}.`;
  return `${console} The person may ${mayConnect ? "" : "not "}connect programs.`;
}

const Result = ({ trial, trial: { fault, claims, role, person } }: { trial: Trial }) => (
  <div class={`notice ${fault === null && role && person ? "good" : "warn"}`} role="status">
    <strong>{fault ?? `The provider signed in ${person?.replace("person:", "") ?? "you"}.`}</strong>
    {claims !== null && (
      <>
        <p>{sentenceFor(trial)}</p>
        <CodeBlock title="Claims of the ID token" text={JSON.stringify(claims, null, 2)} />
      </>
    )}
    <p class="faint">Nothing was saved.</p>
  </div>
);

/** Stores nothing. Fails if the provider can't be used. */
export const beginTrial = (body: Settings) =>
  api.POST("/admin/v1/tenants/{tenant}/sign-in/trial", { body });

export function SignInTrial({ settingsOf }: { settingsOf: () => Settings }) {
  const [{ begun, found }, set] = useState<{ begun?: Begun; found?: Trial }>({});
  const report = useReport();
  const start = async (): Promise<void> => {
    set({});
    report(null);
    const settings = settingsOf();
    const made = await beginTrial(settings);
    if (!made.ok) return report(made.problem);
    set({ begun: { ...made.value, settings } });
    open(made.value.url, "_blank");
  };
  useEffect(() => {
    if (begun === undefined) return undefined;
    const { settings, pending } = begun;
    const channel = new BroadcastChannel(consolePath);
    const finish = async ({ data: query }: MessageEvent<string>): Promise<void> => {
      if (new URLSearchParams(query).get("state") !== pending.state) return;
      set({});
      const body = { settings, pending, query };
      const tried = await api.POST("/admin/v1/tenants/{tenant}/sign-in/trial/result", { body });
      if (tried.ok) set({ found: tried.value });
      else report(tried.problem);
    };
    channel.addEventListener("message", (event) => void finish(event));
    return () => channel.close();
  }, [begun]);
  return (
    <>
      <p>
        <Button onClick={() => void start()}>Try the sign-in</Button>{" "}
        <span class="faint">Shows your token’s claims and the role that follows.</span>
      </p>
      {begun && (
        <p class="waiting" role="status">
          Sign in in the other tab. If none opened,{" "}
          <a href={begun.url} target="_blank">
            open the provider
          </a>
          .
        </p>
      )}
      {found && <Result trial={found} />}
    </>
  );
}
