import { useState } from "preact/hooks";

const titles = { image: "Image", audio: "Audio" } as const;

export type Media = { type: keyof typeof titles; data: string; mimeType: string };

const maxBytes = 4_000_000;

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

interface MediaFieldProps {
  kind: Media["type"];
  value: Media | null;
  onInput: (media: Media | null) => void;
}

export function MediaField({ kind, value, onInput }: MediaFieldProps) {
  const [fault, setFault] = useState<string | null>(null);
  const take = async (file: File | undefined): Promise<void> => {
    setFault(null);
    if (file === undefined) return onInput(null);
    if (file.size > maxBytes) return setFault("The file is larger than 4 MB.");
    try {
      onInput({ type: kind, data: await base64Of(file), mimeType: file.type });
    } catch {
      setFault("The browser could not read the file.");
    }
  };
  return (
    <label class="field">
      <span>{titles[kind]}</span>
      <input
        type="file"
        accept={`${kind}/*`}
        onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
      />
      {fault !== null && <small class="fault">{fault}</small>}
      {value !== null && <small>{value.mimeType} is sent with the message.</small>}
    </label>
  );
}
