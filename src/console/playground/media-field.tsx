import { useState } from "preact/hooks";

const titles = { image: "Image", audio: "Audio" } as const;
export type MediaKind = keyof typeof titles;

export interface Media {
  type: MediaKind;
  data: string;
  mimeType: string;
}

const maxBytes = 4_000_000;

const read = (file: File, type: MediaKind): Promise<Media> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("error", () => reject(new Error("unreadable")));
    reader.addEventListener("load", () => {
      const url = typeof reader.result === "string" ? reader.result : "";
      resolve({ type, data: url.slice(url.indexOf(",") + 1), mimeType: file.type });
    });
    reader.readAsDataURL(file);
  });

interface MediaFieldProps {
  kind: MediaKind;
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
      onInput(await read(file, kind));
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
