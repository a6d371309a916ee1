import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useUnsaved } from "./dialog.tsx";
import { Button } from "./page.tsx";

type CopyButtonProps = { text: string; label?: string; of?: string };

export function CopyButton({ text, label = "Copy", of }: CopyButtonProps) {
  const [said, say] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied");
    } catch {
      say("Select and copy manually");
    }
    setTimeout(() => say(null), 2_000);
  };
  return (
    <Button class="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
      {of !== undefined && <span class="unseen"> {of}</span>}
    </Button>
  );
}

export const idFact = (id: string) =>
  [
    "Id",
    <>
      <code>{id}</code> <CopyButton text={id} of="the id" />
    </>,
  ] as const;

export function CodeBlock({ title, text }: { title: string; text: string }) {
  return (
    <div class="code">
      <div class="code-head">
        <span>{title}</span>
        <CopyButton text={text} />
      </div>
      <pre tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </div>
  );
}

type SecretProps = {
  title: string;
  secret: string;
  onDone: () => void;
  children: ComponentChildren;
};

/** Only a hash is stored, so the secret is shown once. */
export function Secret({ title, secret, children, onDone }: SecretProps) {
  const question = useUnsaved(true, "The secret");
  return (
    <section class="notice good" aria-label={title} data-secret>
      <strong>{title}</strong>
      <CodeBlock title="Shown this once" text={secret} />
      {children}
      <Button onClick={onDone}>I have saved it</Button>
      {question}
    </section>
  );
}
