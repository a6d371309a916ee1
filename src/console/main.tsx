/** The console's beginning. The locale stands first: what is imported after it may ask `Intl` at once. */
import "./locale.ts";
import { render } from "preact";
import { App } from "./app.tsx";
import { restoreSession } from "./session.ts";
import { followTheme } from "./theme.ts";
import "./styles/console.css";

followTheme();
const place = document.querySelector<HTMLElement>("#console");
void restoreSession(place?.dataset["session"]);
if (place !== null) render(<App />, place);
