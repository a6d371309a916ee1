export function Brief({ text, isCode = false }: { text: string | null; isCode?: boolean }) {
  if (text === null) return <>–</>;
  const shown = { class: "brief", title: text };
  return isCode ? <code {...shown}>{text}</code> : <span {...shown}>{text}</span>;
}
