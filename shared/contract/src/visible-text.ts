/** Default-ignorable characters are drawn as nothing; so are these that Unicode does not call so. */
const UNSEEN = String.raw`\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb`;

const JOINED = String.raw`[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]]`;
/** Unseen characters where they change how their neighbours look, which is the only reason to allow them. */
const NEEDED = new RegExp(
  [
    // Joiners within the words of scripts whose letters join, such as Persian and those of India.
    String.raw`(?<=${JOINED})[\u200c\u200d](?=${JOINED})`,
    // Joiners of the parts of an emoji.
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})`,
    // Variation selectors: a sign drawn as an emoji or as text, a key, and the forms of an ideograph.
    String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`,
    String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
    String.raw`(?<=\p{Ideographic})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
    // The flags of England, Scotland and Wales.
    String.raw`\p{RGI_Emoji_Tag_Sequence}`,
  ].join('|'),
  'gv',
);

const HIDDEN = new RegExp(String.raw`[\p{Cc}${UNSEEN}]`, 'u');
const NOTHING = new RegExp(String.raw`^[\s${UNSEEN}]*$`, 'u');

/** True without hidden characters, which make a text differ from one that looks the same, or turn it around. */
export const isVisible = (text: string): boolean => !HIDDEN.test(text.replace(NEEDED, ''));

/** The same, but for line breaks and tabs. */
export const isVisibleInLines = (text: string): boolean => isVisible(text.replace(/[\t\n\r]/g, ' '));

/** Returns a typed text as it is stored: trimmed and in NFC, as outer spaces and an é's encoding are invisible. */
export const asTyped = (text: string): string => (NOTHING.test(text) ? '' : text.trim().normalize('NFC'));

/** In a name, all spaces are one. */
export const asName = (text: string): string => asTyped(text).replace(/\p{Zs}+/gu, ' ');

/** Without the joiners and variation selectors that may be in a visible text: for comparing. */
export const withoutJoiners = (text: string): string => text.replace(/[\p{Join_Control}\p{Variation_Selector}]/gu, '');
