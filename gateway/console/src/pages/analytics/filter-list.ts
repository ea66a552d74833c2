/** A filter as the API writes it: values between commas, `!` in front of a negated list, and `\` before such a sign. */
export interface FilterList {
  values: string[];
  isNegated: boolean;
}

const PARTS = /(?:\\[^]|[^,\\]|\\$)+/g;
const ESCAPED = /\\([,!\\])/g;

export function readList(text: string): FilterList {
  const isNegated = text.startsWith('!');
  const parts = (isNegated ? text.slice(1) : text).match(PARTS) ?? [];
  return { values: parts.map((part) => part.replace(ESCAPED, '$1')), isNegated };
}

export function writeList({ values, isNegated }: FilterList): string {
  const text = values.map((value) => value.replace(/[,!\\]/g, '\\$&')).join(',');
  // The word `all` alone selects everything; a list that ends with a comma is a list.
  return `${isNegated ? '!' : ''}${text}${text === 'all' ? ',' : ''}`;
}
