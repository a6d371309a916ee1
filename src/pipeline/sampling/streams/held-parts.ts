/** Holds parts back until content comes, since another model may still answer until then. */
import { isLifecycle, type StreamPart } from "../../../domain/sampling/stream-parts.ts";
import type { StreamLimits } from "./stream-limits.ts";

export interface HeldParts {
  add(part: StreamPart): StreamPart[];
  isOpen(): boolean;
  clear(): void;
}

export function createHeldParts(
  {
    limits,
    after,
  }: {
    limits: Pick<StreamLimits, "heldMs" | "heldBytes">;
    after: (ms: number, act: () => void) => () => void;
  },
  release: (parts: StreamPart[]) => void,
): HeldParts {
  let held: StreamPart[] = [];
  let bytes = 0;
  let isOpen = false;
  let disarm: (() => void) | null = null;
  const open = (): StreamPart[] => {
    const parts = held;
    [held, isOpen] = [[], true];
    disarm?.();
    return parts;
  };
  return {
    add(part) {
      if (part.type === "began" || part.type === "counted") return [];
      if (isOpen) return part.type === "hidden" ? [] : [part];
      if (part.type === "hidden") return [];
      held.push(part);
      if (!isLifecycle(part)) return open();
      bytes += part.type === "event" ? part.bytes.byteLength : 0;
      if (bytes > limits.heldBytes) return open();
      disarm ??= after(limits.heldMs, () => release(open()));
      return [];
    },
    isOpen: () => isOpen,
    clear: () => disarm?.(),
  };
}
