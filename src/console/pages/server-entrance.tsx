/** How the router authenticates at a server. */
import { Choice, Field, useFaults } from "../parts/form.tsx";

const ways = [
  ["open", "no authentication"],
  ["header", "secret in a header"],
  ["tenant", "OAuth, one shared account"],
  ["user", "OAuth, one account per person"],
] as const;
type Way = (typeof ways)[number][0];

export interface Entrance {
  way: Way;
  header: string;
  secret: string;
  clientId: string;
  clientSecret: string;
}

export const closed: Entrance = {
  way: "open",
  header: "Authorization",
  secret: "",
  clientId: "",
  clientSecret: "",
};

export function entranceOf({ way, header, secret, clientId, clientSecret }: Entrance) {
  if (way === "open") return {};
  if (way === "header") return { headers: { [header]: secret } };
  return {
    oauth: {
      grant: "authorization_code" as const,
      per: way,
      ...(clientId !== "" && { clientId }),
      ...(clientSecret !== "" && { clientSecret }),
    },
  };
}

interface EntranceProps {
  entrance: Entrance;
  onInput: (change: Partial<Entrance>) => void;
}

function SecretHeader({ entrance, onInput }: EntranceProps) {
  return (
    <div class="grid">
      <Field
        title="Header"
        name="header"
        value={entrance.header}
        onInput={(header) => onInput({ header })}
        isRequired
      />
      <Field
        title="Value"
        name="headers"
        type="password"
        value={entrance.secret}
        onInput={(secret) => onInput({ secret })}
        isRequired
        hint="Encrypted immediately and never shown again."
      />
    </div>
  );
}

function OauthClientFields({ entrance, onInput }: EntranceProps) {
  return (
    <details open={useFaults()("oauth.clientId") !== null}>
      <summary>Existing OAuth client</summary>
      <p>Leave blank to let the router register itself.</p>
      <div class="grid">
        <Field
          title="Client id"
          name="clientId"
          value={entrance.clientId}
          onInput={(clientId) => onInput({ clientId })}
          path="oauth.clientId"
        />
        <Field
          title="Client secret"
          name="clientSecret"
          type="password"
          value={entrance.clientSecret}
          onInput={(clientSecret) => onInput({ clientSecret })}
          hint="Optional. Encrypted immediately."
        />
      </div>
    </details>
  );
}

export function EntranceFields({
  entrance,
  onInput,
}: Omit<EntranceProps, "onInput"> & { onInput: (entrance: Entrance) => void }) {
  const enter = (change: Partial<Entrance>): void => onInput({ ...entrance, ...change });
  return (
    <>
      <Choice
        title="Authentication"
        name="entrance"
        value={entrance.way}
        options={ways}
        onInput={(way) => enter({ way })}
      />
      {entrance.way === "header" && <SecretHeader entrance={entrance} onInput={enter} />}
      {(entrance.way === "tenant" || entrance.way === "user") && (
        <OauthClientFields entrance={entrance} onInput={enter} />
      )}
    </>
  );
}
