/**
 * Completes an address as people type it: without a scheme it is one of https. The text before a colon is a scheme, unless it
 * has a dot or a port follows: then it is a host.
 */
export function withScheme(typed: string): string {
  const text = typed.trim();
  if (text.startsWith('//')) return `https:${text}`;
  const isComplete = text === '' || text.startsWith('/') || /^[a-z][a-z0-9+-]*:(?!\d+(?:[/?#]|$))/i.test(text);
  return isComplete ? text : `https://${text}`;
}

/** The host name of an address that was copied from the browser. */
export const hostNameOf = (typed: string): string =>
  typed
    .trim()
    .replace(/^(?:https?:)?\/\//i, '')
    .replace(/\/+$/, '');
