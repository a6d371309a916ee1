/** From the tab with the provider's answer to the page that tries its settings. */
export const trialChannel = "sign-in trial";
