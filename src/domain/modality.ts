/** Kinds of content that the protocol can carry. */
export const modalities = ["text", "image", "audio"] as const;
export type Modality = (typeof modalities)[number];
