import { effect, signal } from "@preact/signals";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const place = "sampling-router-theme";

/** Browsers may block storage. */
function remembered(): Theme {
  try {
    const kept = localStorage.getItem(place);
    return themes.find((each) => each === kept) ?? "system";
  } catch {
    return "system";
  }
}

export const theme = signal<Theme>(remembered());

export function followTheme(): void {
  effect(() => {
    document.documentElement.style.colorScheme = theme.value === "system" ? "" : theme.value;
    try {
      localStorage.setItem(place, theme.value);
    } catch {}
  });
}
