import { signal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { Page, ProblemNotice, Waiting } from "./parts/page.tsx";
import { unreachable } from "./problem.ts";

const missing = {
  ...unreachable,
  title: "The page could not be loaded",
  detail: "The router is unreachable or has been updated. Reload the console.",
};

export function later<Props extends object>(load: () => Promise<FunctionComponent<Props>>) {
  const fetched = signal<{ Shown: FunctionComponent<Props> } | "asked" | "missing">("asked");
  const ask = async (): Promise<void> => {
    fetched.value = await load().then(
      (Shown) => ({ Shown }),
      () => "missing" as const,
    );
  };
  return function Later(props: Props) {
    useEffect(() => {
      if (typeof fetched.peek() === "string") void ask();
    }, []);
    const found = fetched.value;
    if (typeof found === "object") return <found.Shown {...props} />;
    if (found === "asked") return <Waiting what="the page" />;
    // Browsers cache failed imports, so the page must be reloaded.
    return (
      <Page title="Not loaded">
        <ProblemNotice problem={missing} again={() => location.reload()} />
      </Page>
    );
  };
}
