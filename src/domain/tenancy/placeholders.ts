/** Texts that documentation puts in the place of a secret, and that people paste together with the rest. */

const whole =
  /^(\.{2,}|…+|x{3,}|\*{3,}|-{3,}|<.*>|\[.*\]|\{.*\}|\$\{?\w+\}?|%\w+%|(your|insert|paste|replace)\b.*|(your|insert|paste|replace)[-_].*|change-?_?me|placeholder|todo|example)$/i;
/** Such as `sk-…`, `sk-ant-...`, `srk_xxxx`: the prefix of a provider's keys and nothing after it. */
const afterPrefix = /^[a-z][a-z0-9]{0,7}([-_][a-z0-9]{1,8}){0,2}[-_]?(\.{2,}|…+|x{3,}|\*{3,})$/i;

export const isPlaceholder = (text: string): boolean => whole.test(text) || afterPrefix.test(text);

/** A key is sent in a header: no blanks, no line ends, nothing beyond ASCII. */
const fitForHeader = /^[\x21-\x7e]*$/;

/** What is wrong with a provider's key; null: nothing. Repeats nothing of the key. An empty key is wrong. */
export function problemWithKey(key: string): string | null {
  if (isPlaceholder(key)) return "This is a placeholder for a key. Replace it with your own key.";
  return fitForHeader.test(key)
    ? null
    : "A key is visible ASCII without blanks: copy it again, without line ends and quotes.";
}
