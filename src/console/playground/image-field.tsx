/** An image from the reader's machine, as a content block of MCP. */
import { useState } from "preact/hooks";

export interface Picture {
  type: "image";
  data: string;
  mimeType: string;
}

const mostBytes = 4_000_000;

const read = (file: File): Promise<Picture> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("error", () => reject(new Error("unreadable")));
    reader.addEventListener("load", () => {
      const url = typeof reader.result === "string" ? reader.result : "";
      resolve({ type: "image", data: url.slice(url.indexOf(",") + 1), mimeType: file.type });
    });
    reader.readAsDataURL(file);
  });

interface ImageFieldProps {
  value: Picture | null;
  onInput: (picture: Picture | null) => void;
}

export function ImageField({ value, onInput }: ImageFieldProps) {
  const [fault, setFault] = useState<string | null>(null);
  const take = async (file: File | undefined): Promise<void> => {
    setFault(null);
    if (file === undefined) return onInput(null);
    if (file.size > mostBytes) return setFault("The image has more than 4 MB.");
    try {
      onInput(await read(file));
    } catch {
      setFault("The browser could not read the image.");
    }
  };
  return (
    <label class="field">
      <span>Image</span>
      <input
        type="file"
        accept="image/*"
        onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
      />
      {fault !== null && <small class="fault">{fault}</small>}
      {value !== null && <small>{value.mimeType} is sent with the message.</small>}
    </label>
  );
}
