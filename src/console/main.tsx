import { render } from "preact";
import { App } from "./app.tsx";
import { restoreSession } from "./session.ts";
import { followTheme } from "./theme.ts";
import styles from "./styles/console.css";

// Constructed style sheets need no exception in the page's policy.
const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);
document.adoptedStyleSheets = [sheet];
followTheme();
const place = document.querySelector<HTMLElement>("#console");
void restoreSession(place?.dataset["session"]);
if (place !== null) render(<App />, place);
