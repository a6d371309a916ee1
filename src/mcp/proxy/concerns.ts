/** A cheap look at a message before it is parsed. */

/**
 * False only if its JSON is certainly neither a sampling request nor a cancellation: both have a
 * method that is spelt with these letters, unless escapes spell letters or the slash.
 */
export const mayConcernSampling = (text: string): boolean =>
  text.includes("createMessage") || text.includes("cancelled") || /\\u00[2-7]/i.test(text);
