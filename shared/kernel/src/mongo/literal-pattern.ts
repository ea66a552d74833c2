/** The source of a pattern that matches exactly this text. The database's protocol has no NUL in a pattern. */
export const literalPattern = (text: string): string =>
  text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\0', '\\x00');
