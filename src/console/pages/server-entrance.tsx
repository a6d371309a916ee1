/** How the router authenticates at a server. */
import { Fields, type FieldOf } from "../parts/fields.tsx";
import { useFaults } from "../parts/form.tsx";

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

const wayField: FieldOf<Entrance> = { name: "way", title: "Authentication", options: ways };
const headerFields: readonly FieldOf<Entrance>[] = [
  { name: "header", title: "Header", isRequired: true },
  {
    name: "secret",
    path: "headers",
    title: "Value",
    type: "password",
    isRequired: true,
    hint: "Encrypted immediately and never shown again.",
  },
];
const clientFields: readonly FieldOf<Entrance>[] = [
  { name: "clientId", path: "oauth.clientId", title: "Client id" },
  {
    name: "clientSecret",
    title: "Client secret",
    type: "password",
    hint: "Optional. Encrypted immediately.",
  },
];

interface EntranceProps {
  entrance: Entrance;
  onInput: (entrance: Entrance) => void;
}

export function EntranceFields({ entrance, onInput }: EntranceProps) {
  const isWrong = useFaults()("oauth.clientId") !== null;
  const its = {
    draft: entrance,
    change: (changes: Partial<Entrance>) => onInput({ ...entrance, ...changes }),
  };
  return (
    <>
      <Fields of={[wayField]} {...its} />
      {entrance.way === "header" && (
        <div class="grid">
          <Fields of={headerFields} {...its} />
        </div>
      )}
      {(entrance.way === "tenant" || entrance.way === "user") && (
        <details open={isWrong}>
          <summary>Existing OAuth client</summary>
          <p>Leave blank to let the router register itself.</p>
          <div class="grid">
            <Fields of={clientFields} {...its} />
          </div>
        </details>
      )}
    </>
  );
}
