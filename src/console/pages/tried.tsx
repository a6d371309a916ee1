import { useEffect } from "preact/hooks";
import { Page } from "../parts/page.tsx";
import { consolePath } from "../place.ts";

/** Where the identity provider's answer to a tried sign-in arrives. */
export function Tried() {
  useEffect(() => {
    const channel = new BroadcastChannel(consolePath);
    const post = channel.postMessage.bind(channel);
    post(location.search.slice(1));
    channel.close();
    // The address has a code.
    history.replaceState(null, "", location.pathname);
    window.close();
  }, []);
  return (
    <Page title="Sign-in tried">
      <p>The result is in the tab with the settings. You can close this one.</p>
    </Page>
  );
}
