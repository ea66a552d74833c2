import { RETURN_TO_MAX } from '@waymark/contract/users';

const BASE = 'http://local.invalid';

/**
 * Returns the normalized path, or `null` for an address that a browser could read as one of another site: `//host`,
 * `/\host`, or anything with a scheme or a control character; and for one that is too long once it is normalized.
 */
export function localPath(text: string): string | null {
  if (!text.startsWith('/') || /[\\\p{Cc}]/u.test(text) || !URL.canParse(text, BASE)) return null;
  const { origin, pathname, search, hash } = new URL(text, BASE);
  // `/./` before a second slash leads to `//host` once it is normalized.
  const path = pathname + search + hash;
  return origin === BASE && !pathname.startsWith('//') && path.length <= RETURN_TO_MAX ? path : null;
}
