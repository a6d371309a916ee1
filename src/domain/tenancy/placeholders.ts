/** Placeholders from documentation, pasted in place of a secret. */

const whole =
  /^(\.{2,}|…+|x{3,}|\*{3,}|-{3,}|<.*>|\[.*\]|\{.*\}|\$\{?\w+\}?|%\w+%|(your|insert|paste|replace)\b.*|(your|insert|paste|replace)[-_].*|change-?_?me|placeholder|todo|example)$/i;
/** A prefix of a provider's keys without a key, for example `sk-…` or `srk_xxxx`. */
const afterPrefix = /^[a-z][a-z0-9]{0,7}([-_][a-z0-9]{1,8}){0,2}[-_]?(\.{2,}|…+|x{3,}|\*{3,})$/i;

export const isPlaceholder = (text: string): boolean => whole.test(text) || afterPrefix.test(text);

const fitForHeader = /^[\x21-\x7e]*$/;

/** null: valid. Does not repeat the key. */
export function problemWithKey(key: string): string | null {
  if (isPlaceholder(key)) return "This is a placeholder for a key. Replace it with your own key.";
  return fitForHeader.test(key)
    ? null
    : "A key is visible ASCII without blanks: copy it again, without line ends and quotes.";
}
