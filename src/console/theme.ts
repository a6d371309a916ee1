import { effect, signal } from "@preact/signals";

const place = "sampling-router-theme";
const auto = "light dark";
/** Values of the property `color-scheme`, and their names. */
export const themes = Object.entries({ [auto]: "auto", light: "light", dark: "dark" });

/** Browsers may block storage. */
function remembered(): string {
  try {
    const kept = localStorage.getItem(place);
    return themes.find(([each]) => each === kept)?.[0] ?? auto;
  } catch {
    return auto;
  }
}

export const theme = signal(remembered());

export function followTheme(): void {
  effect(() => {
    document.documentElement.style.colorScheme = theme.value;
    try {
      localStorage.setItem(place, theme.value);
    } catch {}
  });
}
