/** Exchanges a key for a session. The key is not stored in the browser. */
import { useEffect, useState } from "preact/hooks";
import { Field, Form } from "../parts/form.tsx";
import { Button } from "../parts/page.tsx";
import { beginSingleSignOn, signIn, signInReason } from "../session.ts";

const isOwnMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);
/** The router also refuses keys over plain http. */
const isInsecure = location.protocol === "http:" && !isOwnMachine;

const query = new URLSearchParams(location.search);

/** Whose identity provider there is: the tenant's, the operator's. Unknown if the page came with a session. */
const places =
  document.querySelector<HTMLElement>("#console")?.dataset["signIn"] ?? "tenant operator";
const [hasTenants, hasOperators] = [places.includes("tenant"), places.includes("operator")];
/** Of a sign-in link. */
const linked = (hasTenants && query.get("tenant")) || "";

const reasons: Readonly<Record<string, string>> = {
  signed_out: "You are signed out.",
  not_found: "No identity provider was found. Check the tenant’s short name, or use a key.",
  unauthorized: "The sign-in failed, or took more than ten minutes. Try again.",
  forbidden: "Your account has no role here. Ask your administrator.",
  rate_limited: "Too many failed sign-ins. Try again in a minute.",
  unavailable: "The identity provider can't be reached. Try again in a moment.",
};
const sentenceFor = (reason: string): string => reasons[reason] ?? "The sign-in failed. Try again.";

function SingleSignOn() {
  const [tenant, setTenant] = useState(linked);
  /** By script, since the page's policy blocks forms. */
  const leave = async (to: string | null): Promise<void> => {
    const begun = await beginSingleSignOn(to);
    if (begun.ok) location.assign(begun.value.url);
    else signInReason.value = sentenceFor(begun.problem.reason);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void leave(tenant.trim());
      }}
    >
      <h2>Sign in {linked && `to ${linked} `}with your identity provider</h2>
      {hasTenants && linked === "" && (
        <Field
          title="Tenant"
          name="tenant"
          value={tenant}
          onInput={setTenant}
          isRequired
          hint="Its short name, as in the console’s addresses."
        />
      )}
      <div class="actions">
        {hasTenants && (
          <button type="submit" class={linked === "" ? "" : "main"}>
            Continue to the identity provider
          </button>
        )}
        {hasOperators && (
          <Button class={hasTenants ? "quiet" : ""} onClick={() => void leave(null)}>
            Single sign-on for operators
          </Button>
        )}
      </div>
    </form>
  );
}

function KeyForm() {
  const [key, setKey] = useState("");
  const act = async () => {
    const made = await signIn(key.trim());
    return made.ok || made.problem.status !== 401
      ? made
      : { ...made, problem: { ...made.problem, path: "key" } };
  };
  return (
    <Form submit="Sign in" {...{ act }}>
      <Field
        title="Your key"
        name="key"
        type="password"
        autocomplete="current-password"
        value={key}
        onInput={setKey}
        isRequired
        hint={`An API key with a role, or the operator’s token. ${isOwnMachine && places === "" ? "The router prints both when it starts." : "Ask your administrator for a key."}`}
      />
    </Form>
  );
}

export function SignIn() {
  useEffect(() => {
    const before = document.title;
    document.title = "Sign in · Sampling Router";
    // The page below may still be mounted.
    return () => void (document.title = before);
  }, []);
  const refusal = query.get("sign-in");
  const reason = signInReason.value ?? (refusal && sentenceFor(refusal));
  return (
    <main class="sign-in" id="page">
      <h1>Sampling Router</h1>
      <p class="lead">
        Selects a model for each request of your programs and MCP servers, enforces budgets, and
        records why.
      </p>
      {reason && (
        <p class="notice" role="status">
          {reason}
        </p>
      )}
      {isInsecure ? (
        <div class="notice bad" role="alert">
          <strong>This connection is not secure</strong>
          <p>
            Use https unless the router runs on this machine. Put a gateway with TLS in front of the
            router, or open a tunnel: <code>ssh -L 8787:127.0.0.1:8787 {location.hostname}</code>
          </p>
        </div>
      ) : (
        <>
          {(hasTenants || hasOperators) && <SingleSignOn />}
          {linked === "" ? (
            <KeyForm />
          ) : (
            <details>
              <summary>Sign in with a key</summary>
              <KeyForm />
            </details>
          )}
        </>
      )}
    </main>
  );
}
