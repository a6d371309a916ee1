import { signal } from "@preact/signals";
import type { FunctionComponent, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Page, ProblemNotice, Waiting } from "./parts/page.tsx";
import type { Problem } from "./problem.ts";

const missing: Problem = {
  status: 0,
  reason: "unreachable",
  title: "The page could not be loaded",
  detail: "The router is unreachable or has been updated. Reload the console.",
};

type Fetched<Props> =
  | { state: "asked" | "missing" }
  | { state: "there"; Shown: FunctionComponent<Props> };

export function later<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): (props: Props) => JSX.Element {
  const fetched = signal<Fetched<Props>>({ state: "asked" });
  const ask = async (): Promise<void> => {
    try {
      fetched.value = { state: "there", Shown: await load() };
    } catch {
      fetched.value = { state: "missing" };
    }
  };
  return function Later(props: Props) {
    useEffect(() => {
      if (fetched.peek().state !== "there") void ask();
    }, []);
    const found = fetched.value;
    if (found.state === "there") return <found.Shown {...props} />;
    if (found.state === "asked") return <Waiting what="the page" />;
    // Browsers cache failed imports, so the page must be reloaded.
    return (
      <Page title="Not loaded">
        <ProblemNotice problem={missing} again={() => location.reload()} />
      </Page>
    );
  };
}
