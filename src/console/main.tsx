/** The console's beginning. The locale stands first: what is imported after it may ask `Intl` at once. */
import "./locale.ts";
import { render } from "preact";
import { App } from "./app.tsx";
import { restoreSession } from "./session.ts";
import { followTheme } from "./theme.ts";
import styles from "./styles/console.css";

// A sheet of the script's own is no inline style, so the page's policy need not allow any.
const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);
document.adoptedStyleSheets = [sheet];
followTheme();
const place = document.querySelector<HTMLElement>("#console");
void restoreSession(place?.dataset["session"]);
if (place !== null) render(<App />, place);
